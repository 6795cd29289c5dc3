"""Writes the files of this folder: python generate.py (needs the packages gmsh and vtk)"""

import gmsh
import vtk


def save_gmsh(stem):
    for version, v in ((2.2, "v2"), (4.1, "v4")):
        for binary, b in ((0, "txt"), (1, "bin")):
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            gmsh.write(f"{stem}_{v}_{b}.msh")


def name(dim, entities, text, tag=-1):
    tag = gmsh.model.addPhysicalGroup(dim, entities, tag)
    if text:
        gmsh.model.setPhysicalName(dim, tag, text)


def plate(order):
    """2 x 1, the left half in triangles, the right one in quadrangles; groups that overlap, one without a name."""
    gmsh.clear()
    geo = gmsh.model.geo
    p = [geo.addPoint(x, y, 0, 0.5) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1), (2, 0), (2, 1))]
    ends = ((0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 5), (5, 2))
    line = [geo.addLine(p[a], p[b]) for a, b in ends]
    left = geo.addPlaneSurface([geo.addCurveLoop(line[:4])])
    right = geo.addPlaneSurface([geo.addCurveLoop([line[4], line[5], line[6], -line[1]])])
    geo.mesh.setTransfiniteSurface(right)
    geo.mesh.setRecombine(2, right)
    geo.synchronize()
    name(1, [line[0], line[4]], "bottom")
    name(1, [line[3]], "left side")
    name(1, [line[5]], "", 42)
    name(2, [left], "soft")
    name(2, [right], "hard")
    name(2, [left, right], "all")
    name(0, [p[2]], "probe")
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1)
    gmsh.model.mesh.generate(2)
    if order == 2:
        gmsh.model.mesh.setOrder(2)


def tetrahedra(order):
    """A box 1 x 2 x 3."""
    gmsh.clear()
    box = gmsh.model.occ.addBox(0, 0, 0, 1, 2, 3)
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMin", 1.5)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 2)
    name(3, [box], "solid")
    floor = gmsh.model.getEntitiesInBoundingBox(-0.1, -0.1, -0.1, 1.1, 2.1, 0.1, 2)
    name(2, [tag for _, tag in floor], "floor")
    gmsh.model.mesh.generate(3)
    if order == 2:
        gmsh.model.mesh.setOrder(2)


def hexahedra():
    """A unit cube, 2 x 2 x 1 cells."""
    gmsh.clear()
    geo = gmsh.model.geo
    e = geo.extrude([(0, geo.addPoint(0, 0, 0))], 1, 0, 0, [2])
    e = geo.extrude([e[1]], 0, 1, 0, [2], recombine=True)
    e = geo.extrude([e[1]], 0, 0, 1, [1], recombine=True)
    geo.synchronize()
    name(3, [e[1][1]], "solid")
    name(2, [e[0][1]], "top")
    gmsh.model.mesh.generate(3)


def grid(points, cells, double):
    g, p = vtk.vtkUnstructuredGrid(), vtk.vtkPoints()
    p.SetDataTypeToDouble() if double else p.SetDataTypeToFloat()
    for x in points:
        p.InsertNextPoint(*x)
    g.SetPoints(p)
    for kind, nodes in cells:
        ids = vtk.vtkIdList()
        for n in nodes:
            ids.InsertNextId(n)
        g.InsertNextCell(kind, ids)
    return g


def array(kind, text, values):
    a = kind()
    a.SetName(text)
    for v in values:
        a.InsertNextValue(v)
    return a


def mixed():
    """2 x 1: a quadrangle, two triangles, the left side; a field of its own, two groups."""
    cells = [(vtk.VTK_QUAD, (0, 1, 4, 3)), (vtk.VTK_TRIANGLE, (1, 2, 5)), (vtk.VTK_TRIANGLE, (1, 5, 4)),
             (vtk.VTK_LINE, (3, 0))]
    g = grid([(x, y, 0) for y in (0, 1) for x in (0, 1, 2)], cells, True)
    g.GetCellData().AddArray(array(vtk.vtkUnsignedCharArray, "group:left", (0, 0, 0, 1)))
    g.GetPointData().AddArray(array(vtk.vtkDoubleArray, "temperature", [0.1 * i for i in range(6)]))
    g.GetPointData().AddArray(array(vtk.vtkUnsignedCharArray, "group:probe", (0, 0, 0, 0, 0, 1)))
    g.GetFieldData().AddArray(array(vtk.vtkDoubleArray, "TIME", (0.5,)))
    return g


def bricks():
    """2 x 1 x 1: two hexahedra, coordinates in single precision."""
    cells = [(vtk.VTK_HEXAHEDRON, [n + i for n in (0, 1, 4, 3, 6, 7, 10, 9)]) for i in range(2)]
    return grid([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)], cells, False)


def save_vtk(stem, g):
    for version, v in ((42, "old"), (51, "new")):
        for b in ("txt", "bin"):
            w = vtk.vtkUnstructuredGridWriter()
            w.SetInputData(g)
            w.SetFileVersion(version)
            w.SetFileTypeToBinary() if b == "bin" else w.SetFileTypeToASCII()
            w.SetFileName(f"{stem}_{v}_{b}.vtk")
            w.Write()
    modes = (("ascii", 32), ("base64", 32), ("base64", 64), ("raw", 32), ("raw", 64), ("appended64", 64), ("zlib", 32))
    for mode, header in modes:
        if (stem, mode) == ("bricks", "zlib"):
            continue
        w = vtk.vtkXMLUnstructuredGridWriter()
        w.SetInputData(g)
        w.SetHeaderTypeToUInt64() if header == 64 else w.SetHeaderTypeToUInt32()
        if mode != "zlib":
            w.SetCompressorTypeToNone()
        if mode == "ascii":
            w.SetDataModeToAscii()
        elif mode == "base64":
            w.SetDataModeToBinary()
        else:
            w.SetDataModeToAppended()
            w.SetEncodeAppendedData(mode in ("appended64", "zlib"))
        w.SetFileName(f"{stem}_{mode}_{header}.vtu")
        w.Write()


gmsh.initialize()
plate(1), save_gmsh("plate")
plate(2), save_gmsh("plate2")
tetrahedra(1), save_gmsh("tets")
tetrahedra(2), save_gmsh("tets2")
hexahedra(), save_gmsh("hexes")
gmsh.finalize()
save_vtk("mixed", mixed())
save_vtk("bricks", bricks())
