//! Bypasses the page cache with O_DIRECT: a thread writes one block while the program fills the other.

#[path = "../common/rust/peer.rs"]
mod peer;
use peer::{line_length, Abilities, During, Failure, Options, NAMES, PAGE, TABS};
use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread::{self, JoinHandle};

/// Memory that lives as long as the program.
type Block = &'static mut [u8];

/// A block that begins on a page, as direct I/O needs.
fn new_block(size: usize) -> Block {
    let memory = vec![0; size + PAGE].leak();
    let page = memory.as_ptr().align_offset(PAGE);
    &mut memory[page..page + size]
}

struct Blocks {
    block: Block,
    used: usize,
    full: Sender<(Block, usize)>,
    empty: Receiver<Block>,
    writer: JoinHandle<io::Result<File>>,
}

/// Writes blocks in their order, and returns the file after the last one.
fn write_blocks(mut file: File, full: Receiver<(Block, usize)>, empty: Sender<Block>) -> io::Result<File> {
    for (block, used) in full {
        file.write_all(&block[..used])?;
        let _ = empty.send(block); // nobody waits for the last one
    }
    Ok(file)
}

impl Blocks {
    fn new(file: File, size: usize) -> Blocks {
        let (full, to_write) = channel();
        let (written, empty) = channel();
        let _ = written.send(new_block(size));
        Blocks {
            block: new_block(size),
            used: 0,
            full,
            empty,
            writer: thread::spawn(|| write_blocks(file, to_write, written)),
        }
    }

    /// False if writing has failed: finish() has the reason.
    #[inline]
    fn put(&mut self, bytes: &[u8]) -> bool {
        let room = &mut self.block[self.used..];
        if bytes.len() >= room.len() {
            return self.put_across(bytes);
        }
        room[..bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
        true
    }

    #[cold]
    fn put_across(&mut self, mut bytes: &[u8]) -> bool {
        while bytes.len() >= self.block.len() - self.used {
            let (now, later) = bytes.split_at(self.block.len() - self.used);
            self.block[self.used..].copy_from_slice(now);
            let Ok(next) = self.empty.recv() else {
                return false;
            };
            let full = std::mem::replace(&mut self.block, next);
            let length = full.len();
            if self.full.send((full, length)).is_err() {
                return false;
            }
            self.used = 0;
            bytes = later;
        }
        self.put(bytes)
    }

    /// Writes the last block as whole pages, and waits for all of them; the file is truncated afterwards.
    fn finish(self, written: u64) -> Result<(), Failure> {
        let pages = (self.used + PAGE - 1) / PAGE * PAGE;
        let _ = self.full.send((self.block, pages)); // fails only if writing has failed before
        drop(self.full);
        let file = self.writer.join().expect("the writing thread does not panic");
        peer::finish(&file.during("write")?, written)
    }
}

fn text(out: &mut Blocks, size: u64) -> u64 {
    let mut written = 0;
    let mut n = 1;
    while written + line_length(n) <= size
        && out.put(TABS[..n % 8].as_bytes())
        && out.put(b"All work and no play makes ")
        && out.put(NAMES[n % 6].as_bytes())
        && out.put(b" a dull boy.\n")
    {
        written += line_length(n);
        n += 1;
    }
    written
}

fn write(options: &Options) -> Result<(), Failure> {
    let mut out = Blocks::new(options.open()?, options.buffer);
    let written = text(&mut out, options.size);
    out.finish(written)
}

fn main() {
    let abilities = Abilities {
        workloads: &["text"],
        options: &["buffer", "write-through", "no-cache", "overwrite"],
        styles: &[],
        direct: true,
    };
    peer::run(&abilities, write)
}
