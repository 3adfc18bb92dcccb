using System.IO;
using System.Text;

/// <summary>FileStream with a large buffer; the pieces of a line are written separately.</summary>
static class Program
{
    static int Main(string[] arguments) => Peer.Run(arguments, 256 << 10, options =>
    {
        using (FileStream file = Peer.Open(options, options.Buffer))
        {
            if (options.Bytes) WriteBytes(file, options.Size);
            else WriteText(file, options.Size);
            // Removes the rest of an older file, or of the reserved space.
            if (options.Overwrite || options.Reserve) file.SetLength(file.Position);
        }
    });

    static readonly byte[] Tabs = Encoding.ASCII.GetBytes("\t\t\t\t\t\t\t");
    static readonly byte[] Opening = Encoding.ASCII.GetBytes("All work and no play makes ");
    static readonly byte[] Ending = Encoding.ASCII.GetBytes(" a dull boy.\n");
    static readonly byte[][] Names =
    {
        Encoding.ASCII.GetBytes("Jack"), Encoding.ASCII.GetBytes("Justin Michel"),
        Encoding.ASCII.GetBytes("Fred Flintstone"), Encoding.ASCII.GetBytes("Barney Rubble"),
        Encoding.ASCII.GetBytes("Homer J. Simpson"),
        Encoding.ASCII.GetBytes("John Jacob Jingleheimer Schmidt")
    };

    static void WriteText(FileStream file, long size)
    {
        long left = size;
        for (long line = 1; ; line++)
        {
            int tabs = (int)(line % 8);
            byte[] name = Names[line % 6];
            left -= tabs + Opening.Length + name.Length + Ending.Length;
            if (left < 0) return;
            file.Write(Tabs, 0, tabs);
            file.Write(Opening, 0, Opening.Length);
            file.Write(name, 0, name.Length);
            file.Write(Ending, 0, Ending.Length);
        }
    }

    static void WriteBytes(FileStream file, long size)
    {
        byte[] table = Peer.Table();
        for (long i = 0; i < size; i++) file.WriteByte(table[i % table.Length]);
    }
}
