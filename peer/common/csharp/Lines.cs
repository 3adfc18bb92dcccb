using System;

/// <summary>The lines of text as bytes. Mono's compiler does not support such literals.</summary>
static class Lines
{
    static readonly byte[][] Names =
    {
        "Jack"u8.ToArray(), "Justin Michel"u8.ToArray(), "Fred Flintstone"u8.ToArray(), "Barney Rubble"u8.ToArray(),
        "Homer J. Simpson"u8.ToArray(), "John Jacob Jingleheimer Schmidt"u8.ToArray()
    };

    static ReadOnlySpan<byte> Opening => "All work and no play makes "u8;
    static ReadOnlySpan<byte> Ending => " a dull boy.\n"u8;

    /// <summary>Bytes of a line, its newline included.</summary>
    public static int Length(long line) => (int)(line % 8) + Opening.Length + Names[line % 6].Length + Ending.Length;

    /// <summary>Forms a line in room of exactly its length.</summary>
    public static void Form(Span<byte> room, long line)
    {
        int tabs = (int)(line % 8);
        ReadOnlySpan<byte> name = Names[line % 6];
        room[..tabs].Fill((byte)'\t');
        Opening.CopyTo(room = room[tabs..]);
        name.CopyTo(room = room[Opening.Length..]);
        Ending.CopyTo(room[name.Length..]);
    }
}
