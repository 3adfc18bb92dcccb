//! A buffer of its own in full blocks: the fastest way that the standard library allows, also with direct I/O.

#[path = "../common/rust/peer.rs"]
mod peer;
use peer::{byte_table, line_length, Abilities, During, Failure, Options, NAMES, PAGE, TABS};
use std::fs::File;
use std::io::{self, Write};

struct Blocks<'a> {
    file: File,
    block: &'a mut [u8],
    used: usize,
}

impl Blocks<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = &mut self.block[self.used..];
        if bytes.len() >= room.len() {
            return self.put_across(bytes);
        }
        room[..bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
        Ok(())
    }

    #[cold]
    fn put_across(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while bytes.len() >= self.block.len() - self.used {
            let (now, later) = bytes.split_at(self.block.len() - self.used);
            self.block[self.used..].copy_from_slice(now);
            self.file.write_all(self.block)?;
            self.used = 0;
            bytes = later;
        }
        self.put(bytes)
    }

    /// With direct I/O, the last block is written as whole pages; the file is truncated afterwards.
    fn finish(mut self, written: u64, whole_pages: bool) -> Result<(), Failure> {
        let length = match whole_pages {
            true => (self.used + PAGE - 1) / PAGE * PAGE,
            false => self.used,
        };
        self.file.write_all(&self.block[..length]).during("write")?;
        peer::finish(&self.file, written)
    }
}

fn text(out: &mut Blocks, size: u64) -> io::Result<u64> {
    let mut written = 0;
    let mut n = 1;
    while written + line_length(n) <= size {
        out.put(TABS[..n % 8].as_bytes())?;
        out.put(b"All work and no play makes ")?;
        out.put(NAMES[n % 6].as_bytes())?;
        out.put(b" a dull boy.\n")?;
        written += line_length(n);
        n += 1;
    }
    Ok(written)
}

fn bytes(out: &mut Blocks, size: u64) -> io::Result<u64> {
    let table = byte_table();
    for i in 0..size {
        out.put(&[table[i as usize % table.len()]])?;
    }
    Ok(size)
}

fn write(options: &Options) -> Result<(), Failure> {
    let file = options.open()?;
    let mut memory = vec![0; options.buffer + PAGE];
    let page = memory.as_ptr().align_offset(PAGE); // as direct I/O needs
    let block = &mut memory[page..page + options.buffer];
    let mut out = Blocks {
        file,
        block,
        used: 0,
    };
    let written = match options.workload.as_str() {
        "bytes" => bytes(&mut out, options.size),
        _ => text(&mut out, options.size),
    };
    out.finish(written.during("write")?, options.no_cache)
}

fn main() {
    let abilities = Abilities {
        workloads: &["text", "bytes"],
        options: &["buffer", "write-through", "no-cache", "overwrite"],
        styles: &[],
        direct: false,
    };
    peer::run(&abilities, write)
}
