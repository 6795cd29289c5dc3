#!/usr/bin/env python3
"""Scenes of solids with friction, in families, run at default settings: prints those that do not end.

    python3 benches/solids/friction.py target/release/delassus FOLDER [PATTERN]

writes the scenes into FOLDER and runs those whose names match. Stacks that are pushed over (`stack_0.7`, `stack_1.5`)
must be refused, as nothing can hold them. `hertzload`, a half cylinder that only contact holds against shear, stops
when the shear begins: where the contact is too narrow for its moment that is right, for small shear it is not shown."""
import itertools
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
if len(sys.argv) < 3:
    sys.exit(__doc__)
EXE, OUT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PAT = sys.argv[3] if len(sys.argv) > 3 else ''
os.makedirs(OUT,exist_ok=True)
S={}
def add(name,text): S[name]=text
HEAD2='title="x"\ndimension=2\ngravity=[0,0]\n'
HEAD3='title="x"\ndimension=3\ngravity=[0,0,0]\n'
def time_(step,end): return f'[time]\nstep={step}\nend={end}\nrecord={step}\n'
def mat(E=1e9,nu=0.3,rho=1000,extra=''): return f'[material.m]\nyoung={E}\npoisson={nu}\ndensity={rho}\n{extra}'
QS='[analysis]\nscheme="quasi_static"\n'
# --- block pressed, top held, 2D
for mu,nu,el in itertools.product([0.05,0.1,0.3,0.6,1,2],[0,0.3,0.49],['quad4','tri3','tri6','quad8']):
    if el!='quad4' and (mu not in (0.1,0.6,2) or nu==0): continue
    add(f'press2_{mu}_{nu}_{el}',HEAD2+time_(0.1,1)+QS+f'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[8,4]\nelement="{el}"\n'+mat(nu=nu)+
     f'[solid.b]\nposition=[-1,0]\n[support.top]\non="b/top"\nx=0\ny="-0.01*t"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
# symmetric half
for mu,col in itertools.product([0.05,0.3,1],['nodes','gauss','simpson']):
    add(f'sym2_{mu}_{col}',HEAD2+time_(0.1,1)+QS+'[mesh.b]\nkind="block"\nsize=[1,1]\ncells=[8,8]\n'+mat()+
     f'[solid.b]\n[support.top]\non="b/top"\nx=0\ny="-0.01*t"\n[support.s]\non="b/left"\nx=0\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\ncollocation="{col}"\n')
    add(f'axi2_{mu}_{col}',HEAD2+time_(0.1,1)+QS+'[mesh.b]\nkind="block"\nsize=[1,1]\ncells=[8,8]\n'+mat()+
     f'[solid.b]\nhypothesis="axisymmetric"\n[support.top]\non="b/top"\nx=0\ny="-0.01*t"\n[support.s]\non="b/left"\nx=0\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\ncollocation="{col}"\n')
# dragged: displacement control
for mu,nu,n in itertools.product([0.05,0.2,0.5,1,2],[0.3,0.49],[10,3]):
    add(f'drag2_{mu}_{nu}_{n}',HEAD2+time_(1/n,2)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[10,5]\n'+mat(nu=nu)+
     f'[solid.b]\n[support.top]\non="b/top"\nx="0.03*max(t-1,0)"\ny="-0.005*min(t,1)"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'dragcycle2_{mu}_{nu}_{n}',HEAD2+time_(1/n,3)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[10,5]\n'+mat(nu=nu)+
     f'[solid.b]\n[support.top]\non="b/top"\nx="0.01*sin(3.14159*t)"\ny="-0.005*min(t,1)"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
# load control: pressure on top, then shear below mu p
for mu in [0.05,0.3,1]:
    for frac in [0.3,0.9]:
        q=frac*mu*1e7
        add(f'load2_{mu}_{frac}',HEAD2+time_(0.1,2)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[10,5]\n'+mat()+
     f'[solid.b]\n[load.p]\non="b/top"\ntraction=["{q}*max(t-1,0)","-1e7*min(t,1)"]\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
# two solids
for mu,cells,m,sm in itertools.product([0.1,0.5,1.5],['[5,4]','[8,4]','[7,3]'],['p1','p0'],['',]):
    add(f'two2_{mu}_{cells}_{m}',HEAD2+time_(0.1,2)+QS+f'[mesh.a]\nkind="block"\nsize=[1,1]\ncells={cells}\n[mesh.l]\nkind="block"\nsize=[3,1]\ncells=[15,5]\n'+mat()+
     f'[solid.u]\nmesh="a"\nposition=[1,1]\n[solid.l]\nmesh="l"\n[support.f]\non="l/bottom"\nx=0\ny=0\n[support.top]\non="u/top"\nx="0.02*max(t-1,0)"\ny="-0.01*min(t,1)"\n[contact.f]\nslave="u/bottom"\nmaster="l/top"\nfriction={mu}\nmultipliers="{m}"\n')
    if m=='p1': add(f'twoswap2_{mu}_{cells}',HEAD2+time_(0.1,2)+QS+f'[mesh.a]\nkind="block"\nsize=[1,1]\ncells={cells}\n[mesh.l]\nkind="block"\nsize=[3,1]\ncells=[15,5]\n'+mat()+
     f'[solid.u]\nmesh="a"\nposition=[1,1]\n[solid.l]\nmesh="l"\n[support.f]\non="l/bottom"\nx=0\ny=0\n[support.top]\non="u/top"\nx="0.02*max(t-1,0)"\ny="-0.01*min(t,1)"\n[contact.f]\nslave="l/top"\nmaster="u/bottom"\nfriction={mu}\n')
# 3D
for mu,el,n in itertools.product([0.05,0.3,1,2],['hex8','tet4','tet10'],[2,4]):
    if el=='tet10' and n==4: continue
    base=HEAD3+time_(0.2,1)+QS+f'[mesh.b]\nkind="block"\nsize=[1,1,1]\ncells=[{n},{n},{n}]\nelement="{el}"\n'+mat()
    c=f'[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n'
    add(f'press3_{mu}_{el}_{n}',base+'[solid.b]\n[support.top]\non="b/top"\nx=0\ny=0\nz="-0.02*t"\n'+c)
    add(f'quarter3_{mu}_{el}_{n}',base+'[solid.b]\n[support.top]\non="b/top"\nx=0\ny=0\nz="-0.02*t"\n[support.a]\non="b/left"\nx=0\n[support.b]\non="b/front"\ny=0\n'+c)
    add(f'quarterfree3_{mu}_{el}_{n}',base+'[solid.b]\n[support.top]\non="b/top"\nz="-0.02*t"\n[support.a]\non="b/left"\nx=0\n[support.b]\non="b/front"\ny=0\n'+c)
    add(f'drag3_{mu}_{el}_{n}',base.replace('end=1','end=2')+'[solid.b]\n[support.top]\non="b/top"\nx="0.03*max(t-1,0)"\ny="0.01*max(t-1,0)"\nz="-0.02*min(t,1)"\n'+c)
for mu in [0.1,0.5]:
    add(f'two3_{mu}',HEAD3+time_(0.25,2)+QS+'[mesh.a]\nkind="block"\nsize=[1,1,1]\ncells=[3,2,2]\n[mesh.l]\nkind="block"\nsize=[2,2,1]\ncells=[5,5,3]\n'+mat()+
     f'[solid.u]\nmesh="a"\nposition=[0.5,0.5,1]\n[solid.l]\nmesh="l"\n[support.f]\non="l/bottom"\nx=0\ny=0\nz=0\n[support.top]\non="u/top"\nx="0.02*max(t-1,0)"\ny=0\nz="-0.01*min(t,1)"\n[contact.f]\nslave="u/bottom"\nmaster="l/top"\nfriction={mu}\n')
    add(f'ball3_{mu}',HEAD3+time_(0.25,2)+QS+'[mesh.a]\nkind="ball"\npart="lower"\nradius=1\ncells=3\nrefine_foot=3\n'+mat()+
     f'[solid.u]\nposition=[0,0,1]\n[support.top]\non="u/top"\nx="0.01*max(t-1,0)"\ny=0\nz="-0.05*min(t,1)"\n[contact.f]\nslave="u/sphere"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'octant3_{mu}',HEAD3+time_(0.25,1)+QS+'[mesh.a]\nkind="ball"\npart="octant"\nradius=1\ncells=4\nrefine_foot=3\n'+mat()+
     f'[solid.u]\nposition=[0,0,1]\n[support.x]\non="u/left"\nx=0\n[support.y]\non="u/front"\ny=0\n[support.top]\non="u/top"\nz="-0.05*min(t,1)"\n[contact.f]\nslave="u/sphere"\nobstacle.half_space={{}}\nfriction={mu}\n')
# hertz: two discs, plane and axisymmetric
for mu,hyp,col,N in itertools.product([0.05,0.1,0.3,0.6,1],['axisymmetric','plane_strain'],['nodes','gauss'],[6,12,20]):
    if N==20 and col=='gauss': continue
    st = 0.1 if N!=6 else 0.25
    add(f'hertz_{mu}_{hyp}_{col}_{N}',HEAD2+time_(st,1)+QS+f'[mesh.ball]\nkind="disc"\npart="lower_right"\nradius=0.05\ncells={N}\nrefine_foot=6\nrefine_arc=4\n'+mat(2e10)+
     f'[solid.u]\nposition=[0,0.05]\nhypothesis="{hyp}"\n[solid.l]\nposition=[0,-0.05]\nmirror="y"\nhypothesis="{hyp}"\n[support.a]\non=["u/axis","l/axis"]\nx=0\n[support.p]\non="u/top"\ny="-2e-3*t"\n[support.q]\non="l/top"\ny="2e-3*t"\n[contact.t]\nslave="u/arc"\nmaster="l/arc"\ncollocation="{col}"\nsearch=0.02\nfriction={mu}\n')
    if N!=20: add(f'hertzobst_{mu}_{hyp}_{col}_{N}',HEAD2+time_(st,1)+QS+f'[mesh.ball]\nkind="disc"\npart="lower_right"\nradius=0.05\ncells={N}\nrefine_foot=6\nrefine_arc=4\n'+mat(2e10)+
     f'[solid.u]\nposition=[0,0.05]\nhypothesis="{hyp}"\n[support.a]\non="u/axis"\nx=0\n[support.p]\non="u/top"\ny="-2e-3*t"\n[contact.t]\nslave="u/arc"\nobstacle.half_space={{}}\ncollocation="{col}"\nfriction={mu}\n')
    if N==12: add(f'hertzdiff_{mu}_{hyp}_{col}',HEAD2+time_(st,1)+QS+f'[mesh.ball]\nkind="disc"\npart="lower_right"\nradius=0.05\ncells={N}\nrefine_foot=6\nrefine_arc=4\n[mesh.o]\nkind="disc"\npart="lower_right"\nradius=0.08\ncells=9\nrefine_foot=8\nrefine_arc=4\n'+mat(2e10)+'[material.n]\nyoung=8e10\npoisson=0.2\ndensity=1000\n'+
     f'[solid.u]\nmesh="ball"\nmaterial="m"\nposition=[0,0.05]\nhypothesis="{hyp}"\n[solid.l]\nmesh="o"\nmaterial="n"\nposition=[0,-0.08]\nmirror="y"\nhypothesis="{hyp}"\n[support.a]\non=["u/axis","l/axis"]\nx=0\n[support.p]\non="u/top"\ny="-2e-3*t"\n[support.q]\non="l/top"\ny="2e-3*t"\n[contact.t]\nslave="u/arc"\nmaster="l/arc"\ncollocation="{col}"\nsearch=0.02\nfriction={mu}\n')
# Cattaneo: half discs
for mu,col in itertools.product([0.1,0.3,0.8],['nodes','gauss']):
    add(f'cattaneo_{mu}_{col}',HEAD2+time_(0.1,2)+QS+f'[mesh.ball]\nkind="disc"\npart="lower"\nradius=0.05\ncells=12\nrefine_foot=6\nrefine_arc=4\n'+mat(2e10)+
     f'[solid.u]\nposition=[0,0.05]\n[solid.l]\nposition=[0,-0.05]\nmirror="y"\n[support.p]\non="u/top"\nx="2e-4*max(t-1,0)"\ny="-1e-3*min(t,1)"\n[support.q]\non="l/top"\nx=0\ny=0\n[contact.t]\nslave="u/arc"\nmaster="l/arc"\ncollocation="{col}"\nsearch=0.02\nfriction={mu}\n')
    add(f'cattobst_{mu}_{col}',HEAD2+time_(0.1,2)+QS+f'[mesh.ball]\nkind="disc"\npart="lower"\nradius=0.05\ncells=12\nrefine_foot=6\nrefine_arc=4\n'+mat(2e10)+
     f'[solid.u]\nposition=[0,0.05]\n[support.p]\non="u/top"\nx="2e-4*max(t-1,0)"\ny="-1e-3*min(t,1)"\n[contact.t]\nslave="u/arc"\nobstacle.half_space={{}}\ncollocation="{col}"\nfriction={mu}\n')
# formalisms
for mu,f in itertools.product([0.1,0.3,1],['penalty','perturbed','augmented','stabilised']):
    par={'penalty':'normal=1e12\ntangential=1e12','perturbed':'compliance=1e-13','augmented':'normal=1e10\ntangential=1e3','stabilised':'normal=1e10\ntangential=1e3'}[f]
    A=f'[analysis]\nscheme="quasi_static"\nformalism="{f}"\n{par}\n'
    add(f'form2_{f}_{mu}',HEAD2+time_(0.1,2)+A+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[10,5]\n'+mat()+
     f'[solid.b]\n[support.top]\non="b/top"\nx="0.03*max(t-1,0)"\ny="-0.005*min(t,1)"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'formtwo2_{f}_{mu}',HEAD2+time_(0.1,2)+A+f'[mesh.a]\nkind="block"\nsize=[1,1]\ncells=[7,3]\n[mesh.l]\nkind="block"\nsize=[3,1]\ncells=[15,5]\n'+mat()+
     f'[solid.u]\nmesh="a"\nposition=[1,1]\n[solid.l]\nmesh="l"\n[support.f]\non="l/bottom"\nx=0\ny=0\n[support.top]\non="u/top"\nx="0.02*max(t-1,0)"\ny="-0.01*min(t,1)"\n[contact.f]\nslave="u/bottom"\nmaster="l/top"\nfriction={mu}\n')
    add(f'form3_{f}_{mu}',HEAD3+time_(0.2,2)+A+f'[mesh.b]\nkind="block"\nsize=[1,1,1]\ncells=[3,3,3]\n'+mat()+'[solid.b]\n[support.top]\non="b/top"\nx="0.03*max(t-1,0)"\ny="0.01*max(t-1,0)"\nz="-0.02*min(t,1)"\n'+f'[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
# dynamics
for mu,sch in itertools.product([0.05,0.3,1],['theta','moreau_jean','newmark','hht','newmark47']):
    A='[analysis]\n'+('scheme="newmark"\nbeta=0.4\ngamma=0.7\n' if sch=='newmark47' else f'scheme="{sch}"\n')
    add(f'dynthrow2_{sch}_{mu}',HEAD2.replace('[0,0]','[0,-9.81]')+time_(1e-4,1e-2)+A+'[mesh.b]\nkind="block"\nsize=[0.1,0.05]\ncells=[10,5]\n'+mat(1e7)+
     f'[solid.b]\nposition=[0,0.002]\nvelocity=[2,-2]\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'dynneo2_{sch}_{mu}',HEAD2.replace('[0,0]','[0,-9.81]')+time_(1e-4,1e-2)+A+'[mesh.b]\nkind="block"\nsize=[0.1,0.05]\ncells=[10,5]\n'+mat(1e7,0.45,1000,'behaviour="neo_hookean"\n')+
     f'[solid.b]\nposition=[0,0.002]\nvelocity=[2,-2]\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'dyndrag2_{sch}_{mu}',HEAD2+time_(0.01,1)+A+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[10,5]\n'+mat()+
     f'[solid.b]\n[support.top]\non="b/top"\nx="0.03*max(t-0.5,0)"\ny="-0.005*min(2*t,1)"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'dyndisc_{sch}_{mu}',HEAD2+time_(2e-5,1.5e-3)+A+'[mesh.b]\nkind="disc"\nradius=0.05\ncells=4\n'+mat(1e8)+
     f'[solid.u]\nposition=[0.01,0.051]\nvelocity=[3,-10]\n[solid.l]\nposition=[0,-0.05]\n[contact.t]\nslave="u/arc"\nmaster="l/arc"\nsearch=0.02\nfriction={mu}\n')
    add(f'dyn3_{sch}_{mu}',HEAD3+time_(1e-4,4e-3)+A+'[mesh.b]\nkind="block"\nsize=[0.1,0.1,0.05]\ncells=[3,3,2]\n'+mat(1e7)+
     f'[solid.b]\nposition=[0,0,0.002]\nvelocity=[2,1,-2]\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'dynrigid_{sch}_{mu}',HEAD2.replace('[0,0]','[0,-9.81]')+time_(1e-4,1e-2)+A+'[mesh.b]\nkind="block"\nsize=[0.1,0.05]\ncells=[6,3]\n'+mat(1e7)+
     f'[solid.b]\nposition=[0,0]\n[support.f]\non="b/bottom"\nx=0\ny=0\n[body.d]\nmaterial="m"\nshape.disc.radius=0.02\nposition=[0.05,0.071]\nvelocity=[1,-1]\n[law]\nfriction={mu}\n')
# finite strain statics
for mu in [0.1,0.5,1]:
    add(f'neo2_{mu}',HEAD2+time_(0.1,2)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[10,5]\n'+mat(1e6,0.45,1000,'behaviour="neo_hookean"\n')+
     f'[solid.b]\n[support.top]\non="b/top"\nx="0.3*max(t-1,0)"\ny="-0.1*min(t,1)"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'plast2_{mu}',HEAD2+time_(0.1,2)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[10,5]\n'+mat(2e11,0.3,7800,'behaviour="plastic"\nyield_stress=3e8\nhardening=1e9\n')+
     f'[solid.b]\n[support.top]\non="b/top"\nx="0.02*max(t-1,0)"\ny="-0.02*min(t,1)"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    add(f'punch2_{mu}',HEAD2+time_(0.1,1)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[20,10]\n'+mat(1e9)+
     f'[solid.b]\n[support.f]\non="b/bottom"\nx=0\ny=0\n[contact.f]\nslave="b/top"\nobstacle.box={{centre=[1,1.25],size=[0.52,0.5]}}\nmotion=["0","-0.02*t"]\nfriction={mu}\n')
    add(f'ballpunch2_{mu}',HEAD2+time_(0.1,1)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[40,20]\n'+mat(1e9)+
     f'[solid.b]\n[support.f]\non="b/bottom"\nx=0\ny=0\n[contact.f]\nslave="b/top"\nobstacle.ball={{centre=[1,2],radius=1}}\nmotion=["0.02*t","-0.05*t"]\nfriction={mu}\n')
    add(f'rigid_qs2_{mu}',HEAD2.replace('[0,0]','[0,-9.81]')+time_(0.001,0.02)+'[analysis]\nscheme="theta"\n'+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[8,4]\n'+mat(1e7)+
     f'[solid.b]\n[support.f]\non="b/bottom"\nx=0\ny=0\n[body.k]\nmaterial="m"\nshape.box.size=[0.5,0.5]\nposition=[1,1.251]\nvelocity=[1,0]\n[law]\nfriction={mu}\n')
DISC='[mesh.ball]\nkind="disc"\npart="{part}"\nradius=0.05\ncells={N}\nrefine_foot=6\nrefine_arc=4\n'
for mu in [0.05,0.2,0.7,1.5]:
    # one big step
    for n in [1,2]:
        add(f'onestep_{n}_{mu}',HEAD2+time_(1/n,1)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[16,8]\n'+mat(nu=0.45)+f'[solid.b]\n[support.top]\non="b/top"\nx="0.02*t"\ny="-0.05*t"\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
        for hyp in ['plane_strain','axisymmetric']:
            add(f'hertzbig_{hyp}_{n}_{mu}',HEAD2+time_(1/n,1)+QS+DISC.format(part='lower_right',N=10)+mat(2e10)+f'[solid.u]\nposition=[0,0.05]\nhypothesis="{hyp}"\n[solid.l]\nposition=[0,-0.05]\nmirror="y"\nhypothesis="{hyp}"\n[support.a]\non=["u/axis","l/axis"]\nx=0\n[support.p]\non="u/top"\ny="-2e-3*t"\n[support.q]\non="l/top"\ny="2e-3*t"\n[contact.t]\nslave="u/arc"\nmaster="l/arc"\nfriction={mu}\n')
    # load control hertz
    add(f'hertzload_{mu}',HEAD2+time_(0.1,2)+QS+DISC.format(part='lower',N=8)+mat(2e10)+f'[solid.u]\nposition=[0,0.05]\n[solid.l]\nposition=[0,-0.05]\nmirror="y"\n[support.q]\non="l/top"\nx=0\ny=0\n[load.p]\non="u/top"\ntraction=["{0.5*mu*2e7}*max(t-1,0)","-2e7*min(t,1)"]\n[contact.t]\nslave="u/arc"\nmaster="l/arc"\nfriction={mu}\n')
    add(f'hertzloadh_{mu}',HEAD2+time_(0.1,1)+QS+DISC.format(part='lower_right',N=8)+mat(2e10)+f'[solid.u]\nposition=[0,0.05]\n[support.a]\non="u/axis"\nx=0\n[load.p]\non="u/top"\ntraction=["0","-2e7*min(t,1)"]\n[contact.t]\nslave="u/arc"\nobstacle.half_space={{}}\nfriction={mu}\n')
    # disc rolled on a block, large sliding, neo-hookean
    add(f'ironing_{mu}',HEAD2+time_(0.05,2)+QS+DISC.format(part='lower',N=6)+'[mesh.l]\nkind="block"\nsize=[0.4,0.06]\ncells=[40,6]\n[material.h]\nyoung=1e9\npoisson=0.3\ndensity=1000\nbehaviour="neo_hookean"\n[material.s]\nyoung=1e7\npoisson=0.3\ndensity=1000\nbehaviour="neo_hookean"\n'+f'[solid.u]\nmesh="ball"\nmaterial="h"\nposition=[0.1,0.1101]\n[solid.l]\nmesh="l"\nmaterial="s"\n[support.f]\non="l/bottom"\nx=0\ny=0\n[support.p]\non="u/top"\nx="0.05*max(t-1,0)"\ny="-0.01*min(t,1)"\n[contact.t]\nslave="u/arc"\nmaster="l/top"\nfriction={mu}\n')
    # obstacles
    add(f'capsule_{mu}',HEAD2+time_(0.1,1)+QS+'[mesh.b]\nkind="block"\nsize=[2,1]\ncells=[30,15]\n'+mat(1e9,0.4)+f'[solid.b]\n[support.f]\non="b/bottom"\nx=0\ny=0\n[contact.f]\nslave="b/top"\nobstacle.capsule={{from=[0.8,1.3],to=[1.2,1.3],radius=0.3}}\nmotion=["0.05*t","-0.05*t"]\nfriction={mu}\n')
    add(f'cavity_{mu}',HEAD2+time_(0.1,1)+QS+'[mesh.b]\nkind="disc"\nradius=1\ncells=6\n'+mat(1e9,0.3)+f'[solid.b]\n[support.c]\non="b/centre"\nx="0.03*t"\ny="-0.05*t"\n[contact.f]\nslave="b/arc"\nobstacle.ball={{centre=[0,0],radius=1.02,inside=true}}\nfriction={mu}\n')
    # stack of three blocks, gravity, load
    add(f'stack_{mu}',HEAD2+time_(0.25,2)+QS+'[mesh.a]\nkind="block"\nsize=[1,0.5]\ncells=[6,3]\n[mesh.c]\nkind="block"\nsize=[1,0.5]\ncells=[5,3]\n'+mat(1e9)+f'[solid.a]\nmesh="a"\n[solid.b]\nmesh="c"\nposition=[0,0.5]\n[solid.c]\nmesh="a"\nposition=[0,1]\n[load.p]\non="c/top"\ntraction=["{0.5*mu*1e6}*max(t-1,0)","-1e6*min(t,1)"]\n[contact.f]\nslave="a/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n[contact.g]\nslave="b/bottom"\nmaster="a/top"\nfriction={mu}\n[contact.h]\nslave="c/bottom"\nmaster="b/top"\nfriction={mu}\n')
    # weight alone on a slope
    add(f'weight_{mu}',HEAD2.replace('[0,0]',f'[{9.81*0.5*mu},-9.81]')+time_(0.5,1)+QS+'[mesh.b]\nkind="block"\nsize=[1,1]\ncells=[5,5]\n'+mat(1e7)+f'[solid.b]\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    # 3d weight
    add(f'weight3_{mu}',HEAD3.replace('[0,0,0]',f'[{9.81*0.4*mu},{9.81*0.3*mu},-9.81]')+time_(0.5,1)+QS+'[mesh.b]\nkind="block"\nsize=[1,1,1]\ncells=[3,3,3]\n'+mat(1e7)+f'[solid.b]\n[contact.f]\nslave="b/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    # 3d balls
    add(f'balls3_{mu}',HEAD3+time_(0.25,2)+QS+'[mesh.a]\nkind="ball"\npart="lower"\nradius=1\ncells=2\nrefine_foot=3\n'+mat()+f'[solid.u]\nposition=[0,0,1]\n[solid.l]\nposition=[0,0,-1]\nmirror="z"\n[support.top]\non="u/top"\nx="0.01*max(t-1,0)"\ny=0\nz="-0.05*min(t,1)"\n[support.b]\non="l/top"\nx=0\ny=0\nz=0\n[contact.f]\nslave="u/sphere"\nmaster="l/sphere"\nfriction={mu}\n')
    add(f'cyl3_{mu}',HEAD3+time_(0.25,2)+QS+'[mesh.a]\nkind="cylinder"\nradius=0.5\nheight=1\ncells=[2,3]\n'+mat(1e9,0.45)+f'[solid.u]\n[support.top]\non="u/top"\nx="0.02*max(t-1,0)"\ny=0\nz="-0.02*min(t,1)"\n[contact.f]\nslave="u/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    # rigid disc pressed in a solid by gravity, moreau
    add(f'rigidsolid_{mu}',HEAD2.replace('[0,0]','[2,-9.81]')+time_(5e-4,5e-2)+'[analysis]\nscheme="moreau_jean"\n[mesh.b]\nkind="block"\nsize=[1,0.3]\ncells=[12,4]\n'+mat(1e6,0.4)+f'[solid.b]\n[support.f]\non="b/bottom"\nx=0\ny=0\n[body.k]\nmaterial="m"\nshape.disc.radius=0.1\nposition=[0.5,0.401]\n[law]\nfriction={mu}\n')
    # dynamics 2 solids
    for sch in ['theta','newmark','hht','moreau_jean']:
        add(f'dyntwo_{sch}_{mu}',HEAD2.replace('[0,0]','[0,-9.81]')+time_(2e-4,1e-2)+f'[analysis]\nscheme="{sch}"\n[mesh.a]\nkind="block"\nsize=[0.1,0.05]\ncells=[5,3]\n[mesh.l]\nkind="block"\nsize=[0.3,0.05]\ncells=[16,3]\n'+mat(1e7,0.4)+f'[solid.u]\nmesh="a"\nposition=[0.05,0.051]\nvelocity=[3,-2]\n[solid.l]\nmesh="l"\n[support.f]\non="l/bottom"\nx=0\ny=0\n[contact.t]\nslave="u/bottom"\nmaster="l/top"\nfriction={mu}\n')
        add(f'dynplast_{sch}_{mu}',HEAD2+time_(2e-7,2e-5)+f'[analysis]\nscheme="{sch}"\n[mesh.half]\nkind="block"\nsize=[3e-3,1e-2]\ncells=[6,20]\n'+mat(1.17e11,0.35,8930,'behaviour="plastic"\nyield_stress=4e8\ntangent=1e8\n')+f'[solid.bar]\nkinematics="finite"\nhypothesis="axisymmetric"\nvelocity=[0,-150]\n[support.s]\non="bar/left"\nx=0\n[contact.p]\nslave="bar/bottom"\nobstacle.half_space={{}}\nfriction={mu}\n')
    for form,par in [('penalty','normal=1e13\ntangential=1e13'),('penalty','normal=1e11\ntangential=1e10'),('perturbed','compliance=1e-12'),('stabilised','normal=1e10\ntangential=1e3')]:
        add(f'hertzform_{form}_{len(par)}_{mu}',HEAD2+time_(0.2,2)+f'[analysis]\nscheme="quasi_static"\nformalism="{form}"\n{par}\n'+DISC.format(part='lower',N=8)+mat(2e10)+f'[solid.u]\nposition=[0,0.05]\n[solid.l]\nposition=[0,-0.05]\nmirror="y"\n[support.p]\non="u/top"\nx="2e-4*max(t-1,0)"\ny="-1e-3*min(t,1)"\n[support.q]\non="l/top"\nx=0\ny=0\n[contact.t]\nslave="u/arc"\nmaster="l/arc"\nfriction={mu}\n')
def run(item):
    name,text=item
    f=f'{OUT}/{name}.toml'; open(f,'w').write(text)
    t=time.time()
    try:
        p=subprocess.run([EXE,'run',f,'--no-record'],capture_output=True,text=True,timeout=200,cwd=OUT)
        rc,out=p.returncode,p.stdout+p.stderr
    except subprocess.TimeoutExpired as e:
        rc,out='TIMEOUT',((e.stdout or b'').decode()+(e.stderr or b'').decode())
    dt=time.time()-t
    m=re.search(r'(\d+) steps above the tolerance, (\d+) retried, (\d+) handed',out)
    c=m.groups() if m else ('?','?','?')
    last=[l for l in out.strip().splitlines() if 'error' in l or 'warning' in l]
    return name,rc,c,dt,(last[-1][:170] if last else '')
items=[(n,t) for n,t in S.items() if re.search(PAT,n)]
bad=retr=hand=0
with ThreadPoolExecutor(2) as ex:
    for name,rc,c,dt,last in ex.map(run,items):
        flag='OK ' if rc==0 and c[0]=='0' else 'BAD'
        if flag=='BAD': bad+=1
        if c[1] not in('0','?'): retr+=1
        if c[2] not in('0','?'): hand+=1
        if flag=='BAD' or c[1]!='0' or c[2]!='0' or dt>20: print(flag,name,rc,'flag/retry/hand',*c,f'{dt:.1f}s',last,flush=True)
print(len(items),'scenes,',bad,'bad,',retr,'with retries,',hand,'handed over')
