//! Times of assembly, factorisation and solves on a block of Hex8, clamped at its foot
//!
//! ```sh
//! cargo run --release -p delassus-fem --example factor [CELLS_X CELLS_Y CELLS_Z]
//! RAYON_NUM_THREADS=1 cargo run --release -p delassus-fem --example factor 31 31 32   # 101,376 dofs
//! ```

use delassus_fem::algebra::{Assembler, Cholesky, Imposed, Kkt, Pattern, SolveScratch, SymmetricMatrix};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// Lamé's constants of steel \[Pa\].
const LAMBDA: f64 = 1.2e11;
const MU: f64 = 8.0e10;

fn main() -> Result<(), Box<dyn Error>> {
    let cells: Vec<usize> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let cells: [usize; 3] = cells.try_into().unwrap_or([31, 31, 32]);
    let n = 3 * cells.iter().map(|c| c + 1).product::<usize>();
    let elements = elements(cells);
    println!("{} elements, {n} dofs, {} threads", elements.len() / 24, rayon::current_num_threads());
    let lists = elements.chunks_exact(24);

    let pattern = Arc::new(timed("pattern", || Pattern::new(n, lists.clone()))?);
    let mut assembler = timed("places of entries", || Assembler::new(&pattern, lists))?;
    let mut k = SymmetricMatrix::zero(pattern.clone());
    for _ in 0..2 {
        k.set_zero();
        timed("assembly (element computed each time)", || {
            assembler.matrix(&mut k, |_, k| {
                hex8(k);
                Ok::<_, Box<dyn Error + Send>>(())
            })
        })
        .map_err(|e| e.to_string())?;
    }
    let foot: Vec<u32> = (0..3 * (cells[0] + 1) * (cells[1] + 1)).map(|i| i as u32).collect();
    let constraints: Vec<[u32; 1]> = foot.iter().map(|i| [*i]).collect();
    let floating = k.clone();
    k.impose(&Imposed::new(&pattern, &foot)?, 2e11);

    let mut cholesky = timed("order and structure", || Cholesky::new(&pattern))?;
    println!("factor: {:.1} M entries, {:.2} GB", cholesky.entries() as f64 / 1e6, cholesky.bytes() as f64 / 1e9);
    for _ in 0..2 {
        timed("factorisation", || cholesky.refactor(&k))?;
    }
    let mut f = vec![0.0; n];
    f[n - 1] = 1e6;
    let mut scratch = SolveScratch::default();
    let mut x = vec![];
    for _ in 0..2 {
        x.clone_from(&f);
        timed("solve", || cholesky.solve_in_place(&mut x, &mut scratch))?;
    }
    let mut residual: Vec<f64> = f.iter().map(|f| -f).collect();
    k.mul_add(&x, &mut residual);
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    println!("residual {:.1e} of {:.1e}, deflection {:.6e} m", largest(&residual), largest(&f), x[n - 1]);
    let mut many: Vec<f64> = (0..16).flat_map(|_| f.clone()).collect();
    timed("16 solves together", || cholesky.solve_many(&mut many, &mut scratch))?;
    match timed("without the clamp", || cholesky.refactor(&floating)) {
        Ok(()) => println!("not noticed!"),
        Err(e) => println!("{e}"),
    }
    drop(cholesky);

    // The same clamp by multipliers, on the stiffness of the floating block.
    let c = SymmetricMatrix::zero(Arc::new(Pattern::new(foot.len(), std::iter::empty())?));
    let mut kkt =
        timed("constrained: structure", || Kkt::new(&pattern, constraints.iter().map(|c| &c[..]), c.pattern()))?;
    println!("{} constraints, {:.2} GB", foot.len(), kkt.bytes() as f64 / 1e9);
    let ones = vec![1.0; foot.len()];
    for _ in 0..2 {
        timed("constrained: factorisation", || kkt.refactor(&floating, &ones, &c))?;
    }
    let mut g = vec![0.0; foot.len()];
    let done = timed("constrained: solve", || kkt.solve(&mut f, &mut g))?;
    let difference: Vec<f64> = f.iter().zip(&x).map(|(a, b)| a - b).collect();
    println!("{done:?}, {} fillings; agrees to {:.1e}", kkt.fillings(), largest(&difference) / largest(&x));
    Ok(())
}

fn timed<T>(what: &str, f: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = f();
    println!("{what:<40} {:8.3} s", start.elapsed().as_secs_f64());
    out
}

/// Dofs of all elements, 24 each; x runs fastest.
fn elements(cells: [usize; 3]) -> Vec<u32> {
    let node = |x: usize, y: usize, z: usize| x + (cells[0] + 1) * (y + (cells[1] + 1) * z);
    let mut out = vec![];
    for z in 0..cells[2] {
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                for corner in 0..8 {
                    let i = node(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2));
                    out.extend((0..3).map(|d| (3 * i + d) as u32));
                }
            }
        }
    }
    out
}

/// Stiffness of a cube of unit side, by 2 × 2 × 2 points:
/// K(aα, bβ) = ∫ λ ∂αNa ∂βNb + μ ∂βNa ∂αNb + μ δαβ ∇Na·∇Nb.
fn hex8(k: &mut [f64]) {
    let g = 0.5 / 3.0f64.sqrt();
    k.fill(0.0);
    for point in 0..8 {
        let x: [f64; 3] = std::array::from_fn(|d| 0.5 + if point >> d & 1 == 1 { g } else { -g });
        let gradients: [[f64; 3]; 8] = std::array::from_fn(|a| gradient(a, &x));
        for a in 0..8 {
            for b in 0..=a {
                add_block(k, (a, &gradients[a]), (b, &gradients[b]), 0.125);
            }
        }
    }
    for i in 0..24 {
        (0..i).for_each(|j| k[24 * j + i] = k[24 * i + j]);
    }
}

fn gradient(a: usize, x: &[f64; 3]) -> [f64; 3] {
    let value = |d: usize| if a >> d & 1 == 1 { x[d] } else { 1.0 - x[d] };
    let slope = |d: usize| if a >> d & 1 == 1 { 1.0 } else { -1.0 };
    std::array::from_fn(|d| (0..3).map(|e| if e == d { slope(e) } else { value(e) }).product())
}

fn add_block(k: &mut [f64], (a, ga): (usize, &[f64; 3]), (b, gb): (usize, &[f64; 3]), weight: f64) {
    let dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
    for alpha in 0..3 {
        for beta in 0..3 {
            let mut x = LAMBDA * ga[alpha] * gb[beta] + MU * ga[beta] * gb[alpha];
            if alpha == beta {
                x += MU * dot;
            }
            k[24 * (3 * a + alpha) + 3 * b + beta] += weight * x;
        }
    }
}
