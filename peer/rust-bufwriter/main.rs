//! A BufWriter, written to with write! or write_all.

#[path = "../common/rust/peer.rs"]
mod peer;
use peer::{byte_table, line_length, Abilities, During, Failure, Options, NAMES, TABS};
use std::fs::File;
use std::io::{self, BufWriter, Write};

fn text_by_format(out: &mut BufWriter<File>, size: u64) -> io::Result<u64> {
    let mut written = 0;
    let mut n = 1;
    while written + line_length(n) <= size {
        let tabs = &TABS[..n % 8];
        let name = NAMES[n % 6];
        writeln!(out, "{tabs}All work and no play makes {name} a dull boy.")?;
        written += line_length(n);
        n += 1;
    }
    Ok(written)
}

fn text_by_pieces(out: &mut BufWriter<File>, size: u64) -> io::Result<u64> {
    let mut written = 0;
    let mut n = 1;
    while written + line_length(n) <= size {
        out.write_all(TABS[..n % 8].as_bytes())?;
        out.write_all(b"All work and no play makes ")?;
        out.write_all(NAMES[n % 6].as_bytes())?;
        out.write_all(b" a dull boy.\n")?;
        written += line_length(n);
        n += 1;
    }
    Ok(written)
}

fn bytes(out: &mut BufWriter<File>, size: u64) -> io::Result<u64> {
    let table = byte_table();
    for i in 0..size {
        out.write_all(&[table[i as usize % table.len()]])?;
    }
    Ok(size)
}

fn write(options: &Options) -> Result<(), Failure> {
    let file = options.open()?;
    let mut out = BufWriter::with_capacity(options.buffer, file);
    let written = match (options.workload.as_str(), options.style.as_str()) {
        ("bytes", _) => bytes(&mut out, options.size),
        (_, "write_all") => text_by_pieces(&mut out, options.size),
        _ => text_by_format(&mut out, options.size),
    };
    let written = written.during("write")?;
    out.flush().during("write")?;
    peer::finish(out.get_ref(), written)
}

fn main() {
    let abilities = Abilities {
        workloads: &["text", "bytes"],
        options: &["buffer", "write-through", "overwrite"],
        styles: &["write!", "write_all"],
        direct: false,
    };
    peer::run(&abilities, write)
}
