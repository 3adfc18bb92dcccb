using System;
using System.IO;
using Microsoft.Win32.SafeHandles;

/// <summary>A block of its own, written with RandomAccess at an offset that the program tracks.</summary>
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

/// <summary>Collects bytes in a block that is larger than one write, so that no line is split.</summary>
sealed class BlockWriter(SafeFileHandle file, int size)
{
    const int LongestPiece = 256;
    readonly byte[] block = GC.AllocateUninitializedArray<byte>(size + LongestPiece, pinned: true);
    int used;

    /// <summary>Bytes written to the file so far.</summary>
    public long Written { get; private set; }

    /// <returns>room for the next bytes, at most 256, which the caller fills</returns>
    public Span<byte> Take(int length)
    {
        while (used >= size) WriteBlock();
        Span<byte> room = block.AsSpan(used, length);
        used += length;
        return room;
    }

    public void WriteByte(byte value)
    {
        if (used >= size) WriteBlock();
        block[used++] = value;
    }

    public void Flush()
    {
        while (used >= size) WriteBlock();
        RandomAccess.Write(file, block.AsSpan(0, used), Written);
        Written += used;
        used = 0;
    }

    void WriteBlock()
    {
        RandomAccess.Write(file, block.AsSpan(0, size), Written);
        Written += size;
        block.AsSpan(size, used -= size).CopyTo(block);
    }
}
