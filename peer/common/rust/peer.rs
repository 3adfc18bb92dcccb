//! What every Rust peer needs besides its way of writing: the options, the protocol, and the workloads.
#![allow(dead_code)] // no peer uses all of it

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

/// The names of the text: line n has name n modulo their number.
pub const NAMES: [&str; 6] = [
    "Jack",
    "Justin Michel",
    "Fred Flintstone",
    "Barney Rubble",
    "Homer J. Simpson",
    "John Jacob Jingleheimer Schmidt",
];
pub const TABS: &str = "\t\t\t\t\t\t\t";

/// Used to stop before the first line that would exceed the size.
pub fn line_length(n: usize) -> u64 {
    let text = "All work and no play makes  a dull boy.\n";
    (n % 8 + text.len() + NAMES[n % 6].len()) as u64
}

// The libc crate would provide <fcntl.h>; these are Linux's values on most machines.
const O_DSYNC: i32 = 0o10000;
const O_DIRECT: i32 = match cfg!(any(target_arch = "arm", target_arch = "aarch64")) {
    true => 0o200000,
    false => 0o40000,
};
/// Direct I/O needs memory, lengths and offsets to be multiples of this.
pub const PAGE: usize = 4096;

/// The options and workloads of a peer, as in its manifest.
pub struct Abilities {
    pub workloads: &'static [&'static str],
    pub options: &'static [&'static str],
    pub styles: &'static [&'static str],
    pub direct: bool, // --no-cache is always on
}

pub struct Options {
    pub workload: String,
    pub style: String,
    pub file: PathBuf,
    pub size: u64,
    pub buffer: usize,
    pub write_through: bool,
    pub no_cache: bool,
    pub overwrite: bool,
}

/// The operation that failed, and the reason.
pub struct Failure(&'static str, io::Error);

/// Adds the operation to an error.
pub trait During<T> {
    fn during(self, operation: &'static str) -> Result<T, Failure>;
}

impl<T> During<T> for io::Result<T> {
    fn during(self, operation: &'static str) -> Result<T, Failure> {
        self.map_err(|error| Failure(operation, error))
    }
}

impl Options {
    pub fn open(&self) -> Result<File, Failure> {
        let mut flags = 0;
        if self.write_through {
            flags |= O_DSYNC;
        }
        if self.no_cache {
            flags |= O_DIRECT;
        }
        let mut how = OpenOptions::new();
        how.write(true).custom_flags(flags);
        if !self.overwrite {
            how.create(true).truncate(true);
        }
        how.open(&self.file).during("open")
    }
}

static IS_DIRECT: AtomicBool = AtomicBool::new(false);

/// Notes for `closed` whether the file's writes bypass the page cache, as the kernel sees it.
fn note_method(file: &File) -> io::Result<()> {
    let about = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd()))?;
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|octal| i32::from_str_radix(octal.trim(), 8).ok());
    IS_DIRECT.store(flags.unwrap_or(0) & O_DIRECT != 0, Ordering::Relaxed);
    Ok(())
}

/// Truncates the file if it is longer than its content. Its close reports nothing: std has no call that does.
pub fn finish(file: &File, written: u64) -> Result<(), Failure> {
    note_method(file).during("look at the flags of")?;
    if file.metadata().during("look at")?.len() > written {
        file.set_len(written).during("truncate")?;
    }
    Ok(())
}

/// The content of the workload "bytes".
pub fn byte_table() -> [u8; 65536] {
    let mut x: u32 = 1;
    [(); 65536].map(|()| {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        (x >> 24) as u8
    })
}

/// Does `work` between reading the two lines.
pub fn run(abilities: &Abilities, work: fn(&Options) -> Result<(), Failure>) {
    let options = parse(abilities).unwrap_or_else(|mistake| {
        eprintln!("{mistake}");
        exit(2)
    });
    say_and_wait("ready");
    if let Err(Failure(operation, error)) = work(&options) {
        eprintln!("{operation} {:?}: {error}", options.file);
        exit(1)
    }
    say_and_wait(match IS_DIRECT.load(Ordering::Relaxed) {
        true => "closed direct",
        false => "closed buffered",
    });
}

/// The end of the input counts as a line.
fn say_and_wait(line: &str) {
    let mut out = io::stdout();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        exit(1)
    }
    let _ = io::stdin().lock().read_until(b'\n', &mut Vec::new());
}

fn parse(abilities: &Abilities) -> Result<Options, String> {
    let mut options = Options {
        workload: "text".into(),
        style: abilities.styles.first().unwrap_or(&"").to_string(),
        file: PathBuf::new(),
        size: 0,
        buffer: 64 << 10,
        write_through: false,
        no_cache: abilities.direct,
        overwrite: false,
    };
    let mut size = None;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        let name = argument.to_string_lossy().into_owned();
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        let option = name.trim_start_matches("--");
        match name.as_str() {
            "--file" => options.file = value()?.into(),
            "--size" => size = Some(number(&name, &value()?.to_string_lossy())?),
            "--workload" => options.workload = one_of(&name, value()?, abilities.workloads)?,
            "--style" => options.style = one_of(&name, value()?, abilities.styles)?,
            "--target" => {
                let target = one_of(&name, value()?, &["new", "overwrite"])?;
                options.overwrite = target == "overwrite";
                if options.overwrite && !abilities.options.contains(&"overwrite") {
                    return Err("--target overwrite is not supported".into());
                }
            }
            _ if !abilities.options.contains(&option) => {
                return Err(format!("{name} is unknown or not supported"))
            }
            "--buffer" => options.buffer = number(&name, &value()?.to_string_lossy())? as usize,
            "--write-through" => options.write_through = true,
            "--no-cache" => options.no_cache = true,
            _ => return Err(format!("{name} is unknown")),
        }
    }
    options.size = size.ok_or("--size is needed")?;
    if options.file.as_os_str().is_empty() {
        return Err("--file is needed".into());
    }
    if options.buffer == 0 || options.buffer > 1 << 30 {
        return Err("--buffer is 1 to 1073741824 bytes".into());
    }
    if options.no_cache && options.buffer % PAGE != 0 {
        return Err("--buffer must be a multiple of 4096 with --no-cache".into());
    }
    Ok(options)
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("{name} is a number of bytes, not '{text}'"))
}

fn one_of(name: &str, value: std::ffi::OsString, known: &[&str]) -> Result<String, String> {
    let value = value.to_string_lossy().into_owned();
    match known.contains(&value.as_str()) {
        true => Ok(value),
        false => Err(format!("{name} is one of {known:?}, not '{value}'")),
    }
}
