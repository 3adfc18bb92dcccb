//! write! directly to the file: the program as first written. Every piece of a line is a system call.

#[path = "../common/rust/peer.rs"]
mod peer;
use peer::{line_length, Abilities, During, Failure, Options, NAMES};
use std::io::Write;

fn write_text(options: &Options) -> Result<(), Failure> {
    let mut file = options.open()?;
    let mut n = 1;
    let mut written = 0;
    while written + line_length(n) <= options.size {
        let tabs = "\t".repeat(n % 8);
        let name = NAMES[n % 6];
        writeln!(file, "{tabs}All work and no play makes {name} a dull boy.").during("write")?;
        written += line_length(n);
        n += 1;
    }
    peer::finish(&file, written)
}

fn main() {
    let abilities = Abilities {
        workloads: &["text"],
        options: &["write-through", "overwrite"],
        styles: &[],
        direct: false,
    };
    peer::run(&abilities, write_text)
}
