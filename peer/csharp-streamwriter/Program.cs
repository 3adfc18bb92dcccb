using System.IO;
using System.Text;

/// <summary>StreamWriter as most programs use it: its default buffers, a string for each line.</summary>
static class Program
{
    const int UsualBuffer = 4096;  // the default of FileStream
    const int NoBufferOption = 0;

    static int Main(string[] arguments) => Peer.Run(arguments, NoBufferOption, options =>
    {
        // Latin-1 maps each of the 256 bytes to a character.
        using (FileStream file = Peer.Open(options, UsualBuffer))
        using (var writer = new StreamWriter(file, Encoding.GetEncoding("iso-8859-1")) { NewLine = "\n" })
        {
            if (options.Bytes) WriteBytes(writer, options.Size);
            else WriteText(writer, options.Size);
            writer.Flush();
            // Removes the rest of an older file, or of the reserved space.
            if (options.Overwrite || options.Reserve) file.SetLength(file.Position);
        }
    });

    static readonly string[] Names =
    {
        "Jack", "Justin Michel", "Fred Flintstone", "Barney Rubble", "Homer J. Simpson",
        "John Jacob Jingleheimer Schmidt"
    };

    static void WriteText(StreamWriter writer, long size)
    {
        long written = 0;
        for (long n = 1; ; n++)
        {
            string line = new string('\t', (int)(n % 8)) + $"All work and no play makes {Names[n % 6]} a dull boy.";
            written += line.Length + 1;
            if (written > size) return;
            writer.WriteLine(line);
        }
    }

    static void WriteBytes(StreamWriter writer, long size)
    {
        byte[] table = Peer.Table();
        for (long i = 0; i < size; i++) writer.Write((char)table[i % table.Length]);
    }
}
