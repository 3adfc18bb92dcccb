using System;
using System.ComponentModel;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Microsoft.Win32.SafeHandles;

/// <summary>
/// Bypasses the page cache: one block is filled while RandomAccess.WriteAsync writes the other. .NET has no option for
/// O_DIRECT, so the program sets it with fcntl().
/// </summary>
static class Program
{
    static int Main(string[] arguments)
    {
        Options.Direct = true;
        return Peer.Run(arguments, 4 << 20, options =>
        {
            if (options.Buffer % BlockWriter.Page != 0)
                throw new UsageException($"--buffer must be a multiple of {BlockWriter.Page}");
            using SafeFileHandle file = Peer.OpenHandle(options);
            Direct.Begin(file);
            var output = new BlockWriter(file, options.Buffer);
            WriteText(output, options.Size);
            long written = output.Finish();
            if (Direct.IsOn(file)) Peer.Method = "direct";
            // Removes what fills the last page, the rest of an older file, and that of the reserved space.
            RandomAccess.SetLength(file, written);
        });
    }

    static void WriteText(BlockWriter output, long size)
    {
        long left = size;
        for (long line = 1; ; line++)
        {
            int length = Lines.Length(line);
            left -= length;
            if (left < 0) return;
            Lines.Form(output.Take(length), line);
        }
    }
}

/// <summary>O_DIRECT of an open file.</summary>
static class Direct
{
    const int GetFlags = 3, SetFlags = 4; // F_GETFL, F_SETFL
    static readonly int Flag = RuntimeInformation.ProcessArchitecture is Architecture.Arm or Architecture.Arm64
        ? 0x10000 : 0x4000;

    public static void Begin(SafeFileHandle file) => Call(file, SetFlags, Call(file, GetFlags, 0) | Flag);

    public static bool IsOn(SafeFileHandle file) => (Call(file, GetFlags, 0) & Flag) != 0;

    static int Call(SafeFileHandle file, int command, int argument)
    {
        int result = fcntl((int)file.DangerousGetHandle(), command, argument);
        return result != -1 ? result : throw new Win32Exception();
    }

    [DllImport("libc", SetLastError = true)]
    static extern int fcntl(int descriptor, int command, int argument);
}

/// <summary>Collects bytes in two page-aligned blocks, larger than one write, so that no line is split.</summary>
sealed class BlockWriter
{
    public const int Page = 4096; // divides all addresses, lengths and offsets of O_DIRECT

    readonly SafeFileHandle file;
    readonly int size;
    readonly byte[] memory; // of both blocks
    int filling, leaving; // where they begin
    int used;
    long written;
    Task write = Task.CompletedTask;

    public BlockWriter(SafeFileHandle file, int size)
    {
        this.file = file;
        this.size = size;
        memory = GC.AllocateUninitializedArray<byte>(2 * (size + Page) + Page, pinned: true);
        filling = (int)(-(long)Marshal.UnsafeAddrOfPinnedArrayElement(memory, 0) & (Page - 1));
        leaving = filling + size + Page;
    }

    /// <returns>room for the next bytes, less than a page, which the caller fills</returns>
    public Span<byte> Take(int length)
    {
        if (used >= size) WriteBlock();
        Span<byte> room = memory.AsSpan(filling + used, length);
        used += length;
        return room;
    }

    /// <summary>Writes the rest as whole pages, and waits for everything.</summary>
    /// <returns>the bytes collected</returns>
    public long Finish()
    {
        if (used >= size) WriteBlock();
        long all = written + used;
        StartWrite((used + Page - 1) / Page * Page);
        write.GetAwaiter().GetResult();
        return all;
    }

    // Inlined, it would make each call of Take() set up its locals.
    [MethodImpl(MethodImplOptions.NoInlining)]
    void WriteBlock()
    {
        StartWrite(size);
        memory.AsSpan(leaving + size, used -= size).CopyTo(memory.AsSpan(filling));
    }

    /// <summary>Waits for the block in flight, starts this one, and switches to the other.</summary>
    void StartWrite(int length)
    {
        write.GetAwaiter().GetResult();
        (filling, leaving) = (leaving, filling);
        write = RandomAccess.WriteAsync(file, memory.AsMemory(leaving, length), written).AsTask();
        written += length;
    }
}
