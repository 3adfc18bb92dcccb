using System.IO;
using System.Text;

/// <summary>StreamWriter with a large buffer; writes the pieces of a line separately, without strings.</summary>
static class Program
{
    const int NoBuffer = 1;  // for the file, because the writer has one

    static int Main(string[] arguments) => Peer.Run(arguments, 256 << 10, options =>
    {
        // Latin-1 maps each of the 256 bytes to a character, so the buffer has as many characters as bytes.
        using (FileStream file = Peer.Open(options, NoBuffer))
        using (var writer = new StreamWriter(file, Encoding.GetEncoding("iso-8859-1"), options.Buffer))
        {
            if (options.Bytes) WriteBytes(writer, options.Size);
            else WriteText(writer, options.Size);
            writer.Flush();
            // Removes the rest of an older file, or of the reserved space.
            if (options.Overwrite || options.Reserve) file.SetLength(file.Position);
        }
    });

    const string Opening = "All work and no play makes ";
    const string Ending = " a dull boy.\n";
    static readonly char[] Tabs = "\t\t\t\t\t\t\t".ToCharArray();
    static readonly string[] Names =
    {
        "Jack", "Justin Michel", "Fred Flintstone", "Barney Rubble", "Homer J. Simpson",
        "John Jacob Jingleheimer Schmidt"
    };

    static void WriteText(StreamWriter writer, long size)
    {
        long left = size;
        for (long line = 1; ; line++)
        {
            int tabs = (int)(line % 8);
            string name = Names[line % 6];
            left -= tabs + Opening.Length + name.Length + Ending.Length;
            if (left < 0) return;
            writer.Write(Tabs, 0, tabs);
            writer.Write(Opening);
            writer.Write(name);
            writer.Write(Ending);
        }
    }

    static void WriteBytes(StreamWriter writer, long size)
    {
        byte[] table = Peer.Table();
        for (long i = 0; i < size; i++) writer.Write((char)table[i % table.Length]);
    }
}
