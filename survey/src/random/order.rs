//! Which of two wrong arguments a function refuses first: each call of the table with one wrong argument, and with each two of them.

use super::choices::Choices;
use super::program::{AROUND, Program, pools, rows};

/// How many wrong values of an argument are combined with another one's.
const COMBINED: usize = 3;

/// A call: its row, what is around it, and what is chosen.
pub struct Order {
    pub row: &'static str,
    pub around: usize,
    pub choices: Vec<usize>,
}

/// Returns every call of the table with up to two wrong choices.
pub fn all(program: &mut Program) -> Vec<Order> {
    let mut found = Vec::new();
    for (_, row) in rows() {
        // What is around the call is the first choice. Its own stream is captured where it has one.
        let has_stream = pools(row, &['@', '-', '~']).any(|pool| pool == "stream");
        let around = if has_stream { AROUND.len() } else { AROUND.len() - 1 };
        program.choices = Choices::Listed(vec![(1..around).collect()]);
        program.call(row, 0, false);
        let Choices::Listed(wrong) = &program.choices else { continue };
        let mut add = |set: &[(usize, usize)]| {
            let mut choices = vec![0; wrong.len()];
            set.iter().for_each(|(place, choice)| choices[*place] = *choice);
            found.push(Order { row, around: choices.remove(0), choices });
        };
        add(&[]);
        for (place, of_one) in wrong.iter().enumerate() {
            of_one.iter().for_each(|choice| add(&[(place, *choice)]));
        }
        for (place, of_one) in wrong.iter().enumerate() {
            for (other, of_other) in wrong.iter().enumerate().skip(place + 1) {
                for one in of_one.iter().take(COMBINED) {
                    of_other.iter().take(COMBINED).for_each(|second| add(&[(place, *one), (other, *second)]));
                }
            }
        }
    }
    found
}

/// Creates what a row needs.
fn prepare(program: &mut Program, row: &'static str) {
    for pool in pools(row, &['@', '-', '~']) {
        let create = rows().map(|(_, row)| row).find(|row| pools(row, &['+']).next() == Some(pool));
        if let Some(create) = create.filter(|_| !program.has(pool)) {
            prepare(program, create);
            program.call(create, 0, false);
        }
    }
}

pub fn run(program: &mut Program, order: &Order) {
    program.choices = Choices::RIGHT;
    prepare(program, order.row);
    program.choices = Choices::Given(order.choices.clone(), 0);
    program.call(order.row, order.around, true);
}
