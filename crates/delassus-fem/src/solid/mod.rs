//! Solids: cells with a kinematics and a material
