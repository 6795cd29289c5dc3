"""Bridges to other packages: each module needs the package it is named after.

- :mod:`delassus.bridges.compas`: assemblies of compas_dem, through its own solver interface;
- :mod:`delassus.bridges.matrices`: one step on the matrices of MuJoCo, Pinocchio or Drake;
- :mod:`delassus.bridges.meshes`: solids from the model of Gmsh and from meshes of meshio.
"""
