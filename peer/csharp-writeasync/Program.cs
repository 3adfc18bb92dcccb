using System;
using System.IO;
using System.Threading.Tasks;
using Microsoft.Win32.SafeHandles;

/// <summary>Two blocks: one is filled while RandomAccess.WriteAsync writes the other; writes are in order.</summary>
static class Program
{
    static int Main(string[] arguments) => Peer.Run(arguments, 256 << 10, options =>
    {
        using SafeFileHandle file = Peer.OpenHandle(options);
        var output = new BlockWriter(file, options.Buffer);
        if (options.Bytes) WriteBytes(output, options.Size);
        else WriteText(output, options.Size);
        output.Flush();
        // Removes the rest of an older file, or of the reserved space.
        if (options.Overwrite || options.Reserve) RandomAccess.SetLength(file, output.Written);
    });

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

    static void WriteBytes(BlockWriter output, long size)
    {
        byte[] table = Peer.Table();
        for (long i = 0; i < size; i++) output.WriteByte(table[i % table.Length]);
    }
}

/// <summary>Collects bytes in blocks that are larger than one write, so that no line is split.</summary>
sealed class BlockWriter(SafeFileHandle file, int size)
{
    const int LongestPiece = 256;
    byte[] filling = NewBlock(size), leaving = NewBlock(size);
    int used;
    Task write = Task.CompletedTask;

    /// <summary>Bytes passed to the file so far.</summary>
    public long Written { get; private set; }

    /// <returns>room for the next bytes, at most 256, which the caller fills</returns>
    public Span<byte> Take(int length)
    {
        while (used >= size) StartWrite(size);
        Span<byte> room = filling.AsSpan(used, length);
        used += length;
        return room;
    }

    public void WriteByte(byte value)
    {
        if (used >= size) StartWrite(size);
        filling[used++] = value;
    }

    public void Flush()
    {
        while (used > 0) StartWrite(Math.Min(used, size));
        write.GetAwaiter().GetResult();
    }

    static byte[] NewBlock(int size) => GC.AllocateUninitializedArray<byte>(size + LongestPiece, pinned: true);

    /// <summary>Waits for the block in flight, starts this one, and switches to the other.</summary>
    void StartWrite(int length)
    {
        write.GetAwaiter().GetResult();
        filling.AsSpan(length, used -= length).CopyTo(leaving);
        (filling, leaving) = (leaving, filling);
        write = RandomAccess.WriteAsync(file, leaving.AsMemory(0, length), Written).AsTask();
        Written += length;
    }
}
