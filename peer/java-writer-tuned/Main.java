import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** BufferedWriter with large buffers; the pieces of a line are written separately, without creating strings. */
final class Main {
    private static final String TABS = "\t\t\t\t\t\t\t";
    private static final String OPENING = "All work and no play makes ";
    private static final String ENDING = " a dull boy.\n";
    private static final String[] NAMES = {
        "Jack",
        "Justin Michel",
        "Fred Flintstone",
        "Barney Rubble",
        "Homer J. Simpson",
        "John Jacob Jingleheimer Schmidt"
    };

    public static void main(String[] arguments) throws IOException {
        Peer.run(arguments, Set.of("--buffer", "--write-through"), 64 << 10, options -> {
            // Latin-1 maps each of the 256 bytes to a character. The encoder passes on 8 KiB at a time: the buffer below it
            // makes system calls rare; the one above it saves calls of the encoder.
            try (FileOutputStream file = Streams.open(options);
                    var buffer = new BufferedOutputStream(file, options.buffer);
                    Writer out = new BufferedWriter(new OutputStreamWriter(buffer, StandardCharsets.ISO_8859_1))) {
                if (options.bytes) writeBytes(out, options.size);
                else writeText(out, options.size);
                out.flush();
                if (options.overwrite) Streams.cut(file);
            }
        });
    }

    private static void writeText(Writer out, long size) throws IOException {
        long left = size;
        for (long line = 1; ; line++) {
            int tabs = (int) (line % 8);
            String name = NAMES[(int) (line % 6)];
            left -= tabs + OPENING.length() + name.length() + ENDING.length();
            if (left < 0) return;
            out.write(TABS, 0, tabs);
            out.write(OPENING);
            out.write(name);
            out.write(ENDING);
        }
    }

    private static void writeBytes(Writer out, long size) throws IOException {
        byte[] table = Peer.table();
        for (long i = 0; i < size; i++) out.write(table[(int) (i % table.length)] & 0xFF);
    }
}
