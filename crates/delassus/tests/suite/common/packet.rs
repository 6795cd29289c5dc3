//! A packet of waves sent through the junction of the scene `bar_high_frequency`: where its energy is at the end.

use delassus::scene::{Scene, example};
use delassus::simulation::{Options, Simulation};

/// Shares of the energy of the start.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// In cells before the overlap.
    pub reflected: f64,
    /// The same by the rows of its nodes, with the half of the next cell that they have: the measure of reference A4.
    pub of_nodes: f64,
    /// In the coarse model, one cell and more beyond the overlap: what runs away, not what dies out there.
    pub transmitted: f64,
    /// In all.
    pub left: f64,
    /// Largest change of the whole on the way.
    pub drift: f64,
}

/// Runs a variant of the scene.
pub fn send(variant: &str, changes: &[&str]) -> Packet {
    let changes: Vec<String> = changes.iter().map(|s| (*s).to_owned()).collect();
    let text = example("bar_high_frequency").expect("in the gallery").text;
    let scene = Scene::parse(text, "bar_high_frequency", &changes).and_then(|s| s.with_variant(variant));
    let mut run = Simulation::new(&scene.unwrap_or_else(|e| panic!("{e}")), &Options::default()).expect("a scene");
    let (start, drift) = go(&mut run);
    let left = total(&run) / start;
    let chains = chains(&mut run);
    let begin = chains[2][0][0];
    let (mut reflected, mut of_nodes) = (0.0, 0.0);
    for pair in chains[..2].iter().flat_map(|c| c.windows(2)) {
        if pair[1][0] < begin + 1e-9 {
            let all = energy(pair[0], pair[1]);
            reflected += all / start;
            // The last cell but for the node on the border.
            let [x, u, v] = pair[0];
            let h = pair[1][0] - x;
            let last = pair[1][0] > begin - 1e-9;
            of_nodes += if last { 0.5 * (u * u / h + v * v * h / 3.0) } else { all } / start;
        }
    }
    let transmitted = chains[3].windows(2).map(|p| energy(p[0], p[1])).sum::<f64>() / start;
    Packet { reflected, of_nodes, transmitted, left, drift }
}

/// Energy of a cell of a bar with E S = ρ S = 1 between two nodes (x, u, v).
fn energy(a: [f64; 3], b: [f64; 3]) -> f64 {
    let h = b[0] - a[0];
    0.5 * ((b[1] - a[1]).powi(2) / h + h / 3.0 * (a[2] * a[2] + a[2] * b[2] + b[2] * b[2]))
}

/// Numbers of a field now.
pub fn field(run: &mut Simulation, name: &str) -> Vec<f64> {
    let mut frame = run.header().frame();
    run.fill(&mut frame).expect("filled");
    let i = run.header().position(name).unwrap_or_else(|| panic!("{name} is not recorded"));
    frame.columns[i].to_f64()
}

/// Kinetic and strain energy after a step.
fn total(run: &Simulation) -> f64 {
    let now = run.totals().energy;
    now.kinetic + now.strain
}

/// Goes to the end; the energy of the start and its largest relative change.
pub fn go(run: &mut Simulation) -> (f64, f64) {
    let start = field(run, "energy/kinetic")[0] + field(run, "energy/strain")[0];
    let mut drift = 0.0f64;
    while !run.is_over() {
        run.step().expect("a step");
        drift = drift.max((total(run) / start - 1.0).abs());
    }
    (start, drift)
}

/// Place, displacement and velocity along the lower side of each solid.
pub fn chains(run: &mut Simulation) -> Vec<Vec<[f64; 3]>> {
    let (u, v) = (field(run, "nodes/displacement"), field(run, "nodes/velocity"));
    let mut first = 0;
    let chain = |g: &delassus::record::BodyGeometry| {
        let mut chain: Vec<[f64; 3]> = (g.points().enumerate())
            .filter(|(_, x)| x[1].abs() < 1e-9)
            .map(|(i, x)| [x[0], u[2 * (first + i)], v[2 * (first + i)]])
            .collect();
        first += g.len();
        chain.sort_by(|a, b| a[0].total_cmp(&b[0]));
        chain
    };
    run.header().geometry.iter().map(chain).collect()
}
