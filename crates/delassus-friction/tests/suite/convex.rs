//! The convex programs of [Cadoux09]: closed forms, the independent references C1
//! and C3, duality, and the two outer iterations compared.
//!
//! The references order a contact (t1, t2, n) and state the dynamics as
//! `M v + f = Hᵀ r`; here the normal comes first and `f` has the opposite sign.

use delassus_friction::algebra::{BlockMatrix, Matrix, Vector};
use delassus_friction::laws::Section;
use delassus_friction::solver::{
    Convex, ConvexSettings, Nlgs, NlgsSettings, Outcome, Outer, Silent, Stop, VelocityProgram, existence,
    velocity_program,
};
use delassus_friction::{Certificate, Law, Problem};
use std::sync::Arc;

fn run<const D: usize>(problem: &Problem<D>, outer: Outer) -> (Vec<Vector<D>>, Outcome) {
    let settings = ConvexSettings { outer, tolerance: 1e-11, ..Default::default() };
    let mut s = problem.zero();
    let outcome = Convex::new(problem, settings).expect("valid").run(problem, &mut s, &mut Silent);
    (s, outcome)
}

/// One degree of freedom of C1: `U = (0.3 v − 0.3, v + 1)`, unit mass, μ = ½, normal first.
fn one_dof(f: f64) -> Problem<2> {
    let g = Vector::<2>::new(0.3, 1.0);
    let w = BlockMatrix::from_triplets(1, &mut [(0, 0, g * g.transpose())]);
    Problem::new(w, vec![g * -f + Vector::<2>::new(-0.3, 1.0)], vec![Law::coulomb(0.5)]).expect("valid")
}

/// C1, f = −2 has two solutions, separation and slip `r = (5, −2.5)`; f = −1 has one.
#[test]
fn one_dof_with_solutions_is_solved() {
    for (f, others) in [(-2.0, vec![Vector::<2>::new(5.0, -2.5)]), (-1.0, vec![])] {
        let problem = one_dof(f);
        for outer in [Outer::FixedPoint, Outer::Newton] {
            let (s, outcome) = run(&problem, outer);
            assert_eq!(outcome.stop, Stop::Tolerance, "f = {f}");
            let known = s[0].norm() < 1e-10 || others.iter().any(|r| (s[0] - r).norm() < 1e-10);
            assert!(known, "f = {f}: {}", s[0]);
        }
    }
}

/// C1, f = 0 and f = 1 have no solution: the solver fails and says so, quickly,
/// and the criterion of existence has the value −0.6 for every f.
#[test]
fn one_dof_without_solution_is_reported() {
    for f in [0.0, 1.0] {
        for outer in [Outer::FixedPoint, Outer::Newton] {
            let (s, outcome) = run(&one_dof(f), outer);
            assert_eq!(outcome.stop, Stop::Breakdown, "f = {f}");
            assert!(outcome.iterations <= 5);
            assert!(s[0].iter().all(|x| x.is_finite()));
        }
    }
    for f in [-2.0, -1.0, 0.0, 1.0] {
        let verdict = existence(&one_dof(f)).expect("a program with a value");
        assert!(!verdict.guaranteed);
        assert!((verdict.margin + 0.6).abs() < 1e-7, "f = {f}: {}", verdict.margin);
    }
}

/// C1 in velocity form: with `s` too small no velocity is admissible.
#[test]
fn velocity_form_without_admissible_velocity_is_infeasible() {
    let data = VelocityProgram::<2> {
        inertia: &[(0, 0, 1.0)],
        gradient: &[(0, 0, 0.3), (1, 0, 1.0)],
        force: &[0.0],
        imposed: &[Vector::<2>::new(-0.3, 1.0)],
        laws: &[Law::coulomb(0.5)],
        shift: &[0.0],
    };
    let error = velocity_program(&data).expect_err("no admissible velocity").to_string();
    assert!(error.contains("no point"), "{error}");
    assert!(velocity_program(&VelocityProgram { shift: &[0.7], ..data }).is_ok());
    let threshold = VelocityProgram { laws: &[Law::Tresca { threshold: 1.0 }], ..data };
    let error = velocity_program(&threshold).expect_err("no cone").to_string();
    assert!(error.contains("threshold"), "{error}");
}

/// One of the random problems C3: `A = diag(mass)`, `G` the rows in the order (t1, t2, n).
struct Case {
    mu: f64,
    mass: &'static [f64],
    rows: &'static [&'static [f64]],
    force: &'static [f64],
    r: &'static [f64],
    u: &'static [f64],
}

impl Case {
    fn contacts(&self) -> usize {
        self.rows.len() / 3
    }

    /// Row of component `k`, normal first.
    fn row(&self, contact: usize, k: usize) -> &[f64] {
        self.rows[3 * contact + (k + 2) % 3]
    }

    fn first(&self, x: &[f64], contact: usize) -> Vector<3> {
        Vector::<3>::new(x[3 * contact + 2], x[3 * contact], x[3 * contact + 1])
    }

    fn problem(&self, law: Law) -> Problem<3> {
        let n = self.contacts();
        let product = |a: &[f64], b: &[f64]| (0..a.len()).map(|d| a[d] * b[d] / self.mass[d]).sum::<f64>();
        let mut triplets = vec![];
        for i in 0..n {
            for j in 0..n {
                let block = Matrix::<3>::from_fn(|r, c| product(self.row(i, r), self.row(j, c)));
                triplets.push((i as u32, j as u32, block));
            }
        }
        let b = (0..n).map(|i| Vector::<3>::from_fn(|k, _| product(self.row(i, k), self.force))).collect();
        Problem::new(BlockMatrix::from_triplets(n, &mut triplets), b, vec![law; n]).expect("valid")
    }
}

#[rustfmt::skip] // numbers
fn cases() -> Vec<Case> {
    vec![ Case { mu: 0.5, mass: &[ 0.6144624340609357, 1.6698781883601719, 1.1576138471613402, 1.5851977667464119,
    1.9669842679949041, 1.3077438056156505, ], rows: &[ &[ -0.7889230286257386, 0.00206557290594813,
    -0.0008903858579313628, -1.7547243063454208, 1.0176580056634932, 0.6004985159195494, ], &[ -0.6254289739667597,
    -0.17154826119572117, 0.5052993741967516, -0.261356415191647, -0.2427490786725466, -1.4532414124907906, ], &[
    0.5545803118918878, 0.12388090528703843, 0.2744599237599636, -1.5265245318698402, 1.6506996911864755,
    0.15433553545635803, ], ], force: &[ 0.7742798865727762, -4.058144441522224, 0.09077205972129218,
    2.9013573982931495, 0.8104557108553734, 4.576630203943445, ], r: &[0.02628574068963749, 0.17269701398286524,
    0.34937200118040834], u: &[-0.8749337583890199, -5.748304728812768, -4.440892098500626e-16], }, Case { mu: 0.4,
    mass: &[ 1.0488355786708894, 1.7568769914638909, 1.6529712597792638, 0.9709920158189933, 1.358937998965931,
    0.9140735724960427, ], rows: &[ &[ -2.0644148031211755, -0.6621593396668087, -1.2042198455997326,
    1.461975627213524, 1.7661608779293339, -0.3294137519130651, ], &[ 0.8407332421435357, -0.17998640125235033,
    0.5680618873279819, -0.7528371964214647, -1.708339203167056, -1.803098658479741, ], &[ 0.38312185175751196,
    2.2475950528076996, 0.269411630507887, -0.5246046194008523, 1.9120188623319405, 0.23730184663719345, ], &[
    0.10143398521161544, 0.25257773555531754, -0.13237719756684715, -0.3094763405888804, -1.4349634660355541,
    0.5016241231810408, ], &[ -0.09477545043989416, 1.1930859223440107, -0.3688184684478463, -1.9063698785304681,
    -0.0996106318948645, 1.6995372967466809, ], &[ 0.38342312293151254, 0.8898568610207493, 1.193591922258183,
    1.0500168110753734, 0.30019373680016304, 1.1799820934582053, ], ], force: &[ -2.995278231195167,
    0.5652704721507609, -0.21729674298946036, -2.876479041467513, -3.0066370408338217, 0.4254659340351217, ], r: &[
    0.12380434883942561, 0.09372727672058517, 0.38820354835616944, -0.16614167041631694, -0.34868296654074055,
    0.9656049457606073, ], u: &[ -0.5426785936793519, -0.41084006496486936, 1.3322676295501878e-15,
    2.4606090301794055, 5.164101540510497, -8.881784197001252e-16, ], }, Case { mu: 0.3, mass: &[
    1.8309334277791023, 1.5123781548001816, 1.7007185734976953, 1.908667030598278, 0.5609837141550287,
    1.813507587305125, 0.9148446086767013, 1.2136467491363665, 1.6951414353978533, 1.575863348412845,
    0.7207213579125396, 1.4881223884312182, ], rows: &[ &[ -0.19602731230796547, -0.5907698188631366,
    -0.29971123732782745, 1.296885192726673, 1.5295796333931557, 0.6694181934096611, 0.5487451197783295,
    0.6766289895558858, -0.012242186606443108, -0.07566346148706628, -0.6736451873760739, -0.05586745005007389, ],
    &[ 2.2599469866262614, 0.8690393292538257, -0.34211702342686306, -0.4719266521335214, -0.8644899915857458,
    0.3743703497375756, 0.3915456935025806, -1.4431216570009382, 0.48633519724170227, -0.569472270518497,
    1.4267211566488358, 0.15684398370418373, ], &[ -1.7177300496602352, 0.4581267928860093, 0.2879838665207813,
    -0.2998083522698998, -1.0559482991645386, -0.5658824886274059, 1.233523943727563, -0.18290070161476676,
    -0.022244738540560485, 0.42906859355599203, 0.6481052928923601, -1.7475772393486444, ], &[ -0.3903864813615635,
    -0.8459226371278078, 0.6371128328124404, 0.13062297726225314, -0.07581386630591783, 0.7813018110504925,
    0.48862541589268554, 0.3621900009510927, 0.9642004843914092, 0.2836364238347902, -0.6169219490904727,
    -0.3622822284197235, ], &[ -0.520972335304312, 0.20972205697660057, -1.0779848942507055, -1.8324259667285763,
    0.08815492459839569, -1.3365205499556942, -1.9519780985451252, 0.3733307838166882, -0.7110531961235406,
    0.49612542223907585, -0.5308537519246391, -1.1219623882055798, ], &[ 1.2435175138560157, 0.5149272227037109,
    0.27338280624577976, 0.8234600840161935, 0.2811079128134188, 1.5361022962124746, -0.01448894497627659,
    1.7936487418003788, 0.19385631695423103, -0.6972941097795758, -1.091938802244823, -1.7143802468690919, ], &[
    -1.5562876468486921, 0.7587252005544856, 1.206282194115847, 0.9805569848379664, -0.9293238151062385,
    0.4117968311159789, 1.8600556722271453, -1.497273642356595, 0.4763377002572523, 1.1122904856590823,
    -0.6965910156586035, 0.5829703032859553, ], &[ -1.0708925079948706, -0.8122085814317389, -0.8170802468288473,
    0.19230769881891904, -0.09098126603276784, 0.9541152077220648, -0.9402791142389414, -0.1312756500924986,
    0.9610764636135062, 0.5607771722349455, -1.324641335581231, 0.6652036849577115, ], &[ 0.4784178798045658,
    -0.3853865378946492, -0.30068041502290827, -1.2193188839686289, -0.11655993973536867, 1.8538058715077061,
    1.3698597189791943, -0.7311543854273908, 0.25831633323761105, -1.1379790600940631, -0.27343881793102437,
    0.7490657359455261, ], ], force: &[ -2.1648135194464295, 1.6147953630583212, 4.105271016550688,
    -4.127591102125696, 3.8214977552443914, -1.2728257179586382, -1.8777035379173455, -0.2941317262031842,
    3.3667936872761772, -2.0300298709217803, 2.88308743327693, 2.687257129780933, ], r: &[ -0.25396048479942396,
    0.04387296905125109, 0.85907421263261, 0.0608192141126444, 0.0023243649385228707, 1.0659855192809127,
    0.04441321805763295, 0.04577352223207419, 0.21259636444484925, ], u: &[ 1.2631373155572698, -0.2182134137784996,
    2.6645352591003757e-15, -1.7763568394002505e-15, 1.9984014443252818e-15, 8.881784197001252e-16,
    -5.655702048626008, -5.828926945235804, 6.661338147750939e-16, ], }, Case { mu: 0.5, mass: &[
    1.8147982347343583, 0.9909404697730799, 1.8334828953261637, 1.4659819688474336, 0.9935743158301431,
    0.5892989816187004, 0.8676640289608372, 1.9526198018252743, 1.1079014603509325, 0.7400501921679917,
    0.9470198738012803, 1.8493636682919872, 0.7474650732627532, 1.666790099850922, 0.7022969470953453,
    1.9420905701568854, 1.2953080791373435, 0.5647549033962822, ], rows: &[ &[ -0.19488150280829059,
    0.592385242601458, 0.1782902416059603, 1.7403462953928241, -0.21949450451100086, -0.22725264975630077,
    -1.0401310637851955, 0.02277796741918609, 0.6828289386721993, -0.7402956414063618, -0.049672262759627765,
    0.7185567601798368, -0.12690914901069156, -0.5191373011482261, 0.9730931507802032, 0.09701956555626447,
    0.3965645057428825, 1.1713934502105185, ], &[ 1.1453159184696329, -0.34720418247402257, -0.5254297194729187,
    0.28430893333213136, -0.13278753523879958, -1.8998613192823477, 1.2753617346658876, 0.01936132749925657,
    0.7363779666484662, -1.1729165642801698, 1.2882035587583935, -0.5882628060623066, -0.10766707347332763,
    -1.401424669727377, -0.1669497367315875, -0.22980393269077168, -0.18536053915171957, 0.438504742755819, ], &[
    -0.060345847868502576, -0.9757826250950817, 0.4681581856513861, 0.9960159087143641, 0.01910639162006163,
    -0.6283680363037837, -1.2446417729678254, -0.8139214355639384, 1.7654406676583267, -0.37705835806021587,
    -1.4603717729212342, -0.06257636634668023, 0.5160425001420264, -0.30916085269295923, 0.5032419842210952,
    -0.6391131659040538, 0.012994471457617379, -1.3930001299965031, ], &[ 0.499502748490931, -0.7238846865956636,
    0.604631283883467, 0.9360117002311108, -0.5684558547947647, -0.42579440249513056, -2.3051832736012074,
    0.9034059889654352, -0.5877543839497932, -2.1223494720326914, -1.7687717000796903, -0.2229501564455013,
    0.7606599704311066, -0.08906461881002403, 0.47177775912678166, -1.1014996267250712, -1.34136562707248,
    0.8857208066664711, ], &[ 0.4921444591748181, -0.030508849941407817, 1.2820926250177223, -0.9511904580877306,
    -0.42026632180736134, 1.0263713308127662, 1.8377943921981248, 0.008425599966532707, 1.6795194076013296,
    -0.6025106149433088, 0.32974984812772645, -0.1738235830168134, -1.588248456390394, 0.25797283504285784,
    0.9327496931183914, -0.14826702394121333, -0.07045512525645098, 1.3929273169293201, ], &[ -1.2497135702004163,
    -1.4975883184272776, -0.6540391445801527, -1.1966227860707963, 1.3462892764595866, 0.30968911753451916,
    -0.8640931041744787, -0.6144791634802568, 2.8610671907227583, -0.6100900460933781, -0.7620246675513062,
    0.3043071699288759, 0.6382524596744971, 0.22168183857447232, -0.908625866473386, -1.1591870700638947,
    0.5961405532482851, -0.0541901860225453, ], &[ -1.6414329702386192, 1.1710009933340728, 0.7753290105104936,
    -0.24095421610563522, -0.26026392267687554, 0.23145978839250378, -0.68700924339027, -1.3483124601599268,
    0.32251775665879234, -1.4390865712132557, 0.39072680328906206, -1.4412074688509382, -0.09920923029280436,
    -0.13564453855518557, 1.7826292596410553, -1.0643833095839195, -1.41494581875732, -0.6461773057728152, ], &[
    -1.1237324264540718, -0.5897624660822641, 0.4208009787746427, 0.7719774290023502, 1.6595612759670786,
    -0.7366741715797671, 2.6385388020004976, 1.9821853304845491, -0.2035268000502686, -2.2914199790948055,
    -0.08311230588460812, 0.07250768363502956, -2.2992488779092026, 0.07383185757494175, -0.20015426282671603,
    -0.7857112844496886, 0.6266291978304716, 1.0053483801272336, ], &[ -0.48617722506569383, 0.22947976054597788,
    -0.6547918670799658, -0.7866055231886101, 0.07949672056999453, 0.5234215590696311, -0.5632928587213418,
    -2.213669761648418, 0.5857848426842117, -1.5965578132681377, 0.12199862323379705, 1.779026231224436,
    -0.016829545305062484, -1.1897500046585723, -1.461179046618259, 1.170461525344169, -0.016948495512334197,
    0.5397384919420447, ], &[ 0.9263017979429656, -0.04900229383858043, -0.3086042386373781, -0.9473476971833681,
    -3.082504765717661, -1.5180004939614387, -0.0695935067567302, -0.17526201629695312, 0.40355987305553453,
    -0.12668683820796836, 0.1593575124787956, 0.7877987916407334, -0.8850449385797408, -0.28715789915396234,
    -1.6072128318129555, 0.9728927879931377, 0.03841792093519608, 0.489822137131927, ], &[ 1.542483150268954,
    1.0795458454539222, -0.06000144301868187, 0.7876853416130717, -1.4317041146192901, 0.4339094463393806,
    0.13891007496547333, -1.6182690091954535, 1.3373200279375046, -0.7040771762567811, 0.6832287197221967,
    -0.4199349315902965, 0.9935428899461082, 1.3122617634995941, -0.8300494780706381, -1.5303986938793361,
    -0.1314100496126187, 0.8489166370272815, ], &[ 0.3713121626087335, 0.6135235839564444, -0.48828225611598014,
    2.7615174680703904, 0.6647155734837235, 1.383796301504306, -0.2948137038455425, 0.7362492908042426,
    1.1151676581210264, 0.35383117391136315, 1.4684084220955664, 0.013123743394290812, 0.6823723506305754,
    0.37741903677609495, 0.71713809637102, -0.9122629008524751, 0.10885368184599764, -0.5245118326592423, ], &[
    0.47978534751115964, -0.8061509535362693, 0.5699733484544289, 0.34910847424222224, 0.31364856817711967,
    -0.39869328160449397, -0.42684409071304025, 0.7855519815381077, 2.1819595671986947, -0.8301271569502884,
    0.534448207723997, -0.36625252824305515, 0.7848565993019057, 0.4383133073481328, 1.0601255494198738,
    -2.7947847617545816, -0.6010826783164164, -0.9881852182648735, ], &[ -0.10798767132937905, -0.7238657810517125,
    -0.6409755575397992, 0.6818598200916514, 1.9019281443998326, -2.823830566361389, -0.3104500066067672,
    0.31205379190256133, 0.004733099553851422, -0.3451350852498921, -1.353467553907091, -0.9426723566426546,
    0.7249819732044651, 1.0757624603064544, 0.09667458316429639, -0.8361723700478649, 0.09571096956650615,
    -0.24003977802267867, ], &[ -0.5456046200668676, -0.11829911768474807, 0.621789515797658, -0.1906730652790518,
    1.179404683692706, -0.8200119188575723, -1.1823352268296694, 1.178504068822574, -0.42104696495269284,
    0.9912622584059789, -1.0716843607791755, -0.9041186180340225, 0.2301781449446131, -0.9949337094432062,
    0.4310911560411398, 0.6430098315019632, 0.5687198945890353, 0.14085080288400628, ], ], force: &[
    0.6468232472880089, -0.30868997285513056, 1.2301170884044337, -1.5293922100889352, -2.041938501606946,
    0.9917238572282767, 2.854349520594321, -1.4477464703989311, -2.2771132286636777, 0.32649678836964696,
    2.573034114884331, -0.5335218354261954, -3.049336258015497, 3.752653192060985, -0.9558513913184139,
    0.6272690772690916, 1.71134756876307, -0.9963990886840881, ], r: &[ 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.07763113295943186, -0.11722532400849775, 1.04298619892585, 0.00373527820951518, 0.25945103538744474,
    0.5189558442369431, 0.6041945818481508, 0.2816178309978493, 1.8926103273903552, ], u: &[ -3.554228547341051,
    -1.495054404633453, 0.17859840606003985, -7.494944132986944, -1.3239318915823386, 1.7743671201835092,
    8.43769498715119e-15, 1.5987211554602254e-14, -4.440892098500626e-16, -0.016384373276832065,
    -1.1380524749188863, 1.1546319456101628e-14, 0.0, -1.7763568394002505e-15, 7.105427357601002e-15, ], }, ]
}

/// C3: percussions and velocities of the four problems to 1e-9, and Newton on `s`
/// needs no more programs than the fixed point.
#[test]
fn random_problems_match_their_reference() {
    for (number, case) in cases().iter().enumerate() {
        let problem = case.problem(Law::coulomb(case.mu));
        assert!(existence(&problem).expect("solved").guaranteed);
        let (_, fixed) = run(&problem, Outer::FixedPoint);
        let (s, newton) = run(&problem, Outer::Newton);
        assert_eq!((fixed.stop, newton.stop), (Stop::Tolerance, Stop::Tolerance), "case {number}");
        assert!(newton.iterations <= fixed.iterations, "case {number}: {} > {}", newton.iterations, fixed.iterations);
        assert!(newton.iterations <= 8, "case {number}: {}", newton.iterations);
        let mut u = problem.zero();
        problem.velocities(&s, &mut u);
        for i in 0..case.contacts() {
            assert!((s[i] - case.first(case.r, i)).norm() < 1e-9, "case {number}, r of contact {i}");
            assert!((u[i] - case.first(case.u, i)).norm() < 1e-9, "case {number}, u of contact {i}");
        }
    }
}

/// Duality of method (10): at the solution's own `s` the two values add up to
/// `−½ fᵀA⁻¹f`, and the multipliers of the velocity form are the percussions.
#[test]
fn the_two_forms_have_no_gap() {
    for case in cases() {
        let law = Law::coulomb(case.mu);
        let problem = case.problem(law.clone());
        let (s, _) = run(&problem, Outer::Newton);
        let mut u = problem.zero();
        problem.velocities(&s, &mut u);
        let shift: Vec<f64> = u.iter().map(|u| law.shift(u)).collect();
        let inertia: Vec<_> = case.mass.iter().enumerate().map(|(d, m)| (d, d, *m)).collect();
        let mut gradient = vec![];
        for i in 0..case.contacts() {
            for k in 0..3 {
                gradient.extend(case.row(i, k).iter().enumerate().map(|(d, g)| (3 * i + k, d, *g)));
            }
        }
        let answer = velocity_program(&VelocityProgram {
            inertia: &inertia,
            gradient: &gradient,
            force: case.force,
            imposed: &problem.zero(),
            laws: problem.laws(),
            shift: &shift,
        })
        .expect("solved");
        let force_value: f64 =
            (0..case.contacts()).map(|i| 0.5 * s[i].dot(&(u[i] + problem.b()[i])) + shift[i] * s[i][0]).sum();
        let free: f64 = case.force.iter().zip(case.mass).map(|(f, m)| -0.5 * f * f / m).sum();
        assert!((force_value + answer.value - free).abs() < 1e-9 * free.abs(), "{force_value} {} {free}", answer.value);
        for (a, b) in s.iter().zip(&answer.percussions) {
            assert!((a - b).norm() < 1e-5, "{a} {b}");
        }
    }
}

/// The same inertia under every law of three components; reference: Gauss–Seidel
/// with its exact one-contact solves (the problems are regular, so `S` is unique here).
#[test]
fn every_law_agrees_with_gauss_seidel() {
    let case = &cases()[3];
    for law in [
        Law::Frictionless,
        Law::Elliptic { mu: [0.2, 0.5], angle: 0.4 },
        Law::Polyhedral(Arc::new(Section::regular(0.4, 6).expect("convex"))),
        Law::Tresca { threshold: 0.3 },
        Law::Bilateral,
    ] {
        let problem = case.problem(law.clone());
        let (s, outcome) = run(&problem, Outer::Newton);
        assert_eq!(outcome.stop, Stop::Tolerance, "{law:?}");
        assert!(Certificate::new(&problem, &s).relative <= 1e-11);
        let mut other = problem.zero();
        let settings = NlgsSettings { tolerance: 1e-12, ..Default::default() };
        let nlgs = Nlgs::new(&problem, settings).expect("valid").run(&problem, &mut other, &mut Silent);
        assert_eq!(nlgs.stop, Stop::Tolerance, "{law:?}");
        for (a, b) in s.iter().zip(&other) {
            assert!((a - b).norm() < 1e-7, "{law:?}: {a} {b}");
        }
    }
}

/// An asymmetric operator is solved as given: the certificate uses the `W` of the problem.
#[test]
fn asymmetric_operator_is_solved_as_given() {
    let case = &cases()[2];
    let symmetric = case.problem(Law::coulomb(0.3));
    let w = symmetric.w().map(|i, j, b| if i < j { b * 1.02 } else { *b });
    let problem = Problem::new(w, symmetric.b().to_vec(), symmetric.laws().to_vec()).expect("valid");
    assert!(problem.asymmetry() > 1e-3);
    for outer in [Outer::FixedPoint, Outer::Newton] {
        let (s, outcome) = run(&problem, outer);
        assert_eq!(outcome.stop, Stop::Tolerance);
        assert!(Certificate::new(&problem, &s).relative <= 1e-11);
    }
}

/// A chain in the plane, by active sets and by the interior point: the same
/// percussions, redundant contacts (each twice) included in velocity.
#[test]
fn active_sets_and_interior_point_agree() {
    for copies in [1usize, 2] {
        let n = 12 * copies;
        let mut triplets = vec![];
        for i in 0..n {
            for j in 0..n {
                let (a, c) = (i / copies, j / copies);
                let near = Matrix::<2>::new(0.4, 0.1, -0.2, 0.3);
                match a as i64 - c as i64 {
                    0 => triplets.push((i as u32, j as u32, Matrix::<2>::new(2.0, 0.3, 0.3, 1.5))),
                    1 => triplets.push((i as u32, j as u32, near)),
                    -1 => triplets.push((i as u32, j as u32, near.transpose())),
                    _ => {}
                }
            }
        }
        let b = (0..n)
            .map(|i| Vector::<2>::new((1.3 * (i / copies) as f64).sin() - 0.4, (2.9 * (i / copies) as f64).cos()))
            .collect();
        let laws = (0..n)
            .map(|i| if i / copies == 3 { Law::Bilateral } else { Law::coulomb(0.1 * (i / copies) as f64) })
            .collect();
        let problem = Problem::<2>::new(BlockMatrix::from_triplets(n, &mut triplets), b, laws).expect("valid");
        let mut answers = vec![];
        for dense in [0, 400] {
            let settings = ConvexSettings { dense, tolerance: 1e-10, ..Default::default() };
            let mut s = problem.zero();
            let outcome = Convex::new(&problem, settings).expect("valid").run(&problem, &mut s, &mut Silent);
            assert_eq!(outcome.stop, Stop::Tolerance, "dense {dense}, copies {copies}");
            let mut u = problem.zero();
            problem.velocities(&s, &mut u);
            answers.push(u);
        }
        for (a, b) in answers[0].iter().zip(&answers[1]) {
            assert!((a - b).norm() < 1e-8, "{a} {b}");
        }
    }
}

/// Settings out of range are refused by name.
#[test]
fn bad_tolerance_is_refused() {
    let settings = ConvexSettings { tolerance: -1.0, ..Default::default() };
    let error = Convex::new(&one_dof(0.0), settings).err().expect("refused").to_string();
    assert!(error.contains("tolerance"), "{error}");
}
