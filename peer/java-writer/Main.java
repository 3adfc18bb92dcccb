import java.io.BufferedWriter;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** BufferedWriter as most programs use it: its default buffer, a string for each line. */
final class Main {
    private static final String[] NAMES = {
        "Jack",
        "Justin Michel",
        "Fred Flintstone",
        "Barney Rubble",
        "Homer J. Simpson",
        "John Jacob Jingleheimer Schmidt"
    };

    public static void main(String[] arguments) throws IOException {
        Peer.run(arguments, Set.of("--write-through"), 0, options -> {
            // Latin-1 maps each of the 256 bytes to a character.
            try (FileOutputStream file = Streams.open(options);
                    Writer out = new BufferedWriter(new OutputStreamWriter(file, StandardCharsets.ISO_8859_1))) {
                if (options.bytes) writeBytes(out, options.size);
                else writeText(out, options.size);
                out.flush();
                if (options.overwrite) Streams.cut(file);
            }
        });
    }

    private static void writeText(Writer out, long size) throws IOException {
        long written = 0;
        for (long n = 1; ; n++) {
            String tabs = "\t".repeat((int) (n % 8));
            String line = tabs + "All work and no play makes " + NAMES[(int) (n % 6)] + " a dull boy.\n";
            written += line.length();
            if (written > size) return;
            out.write(line);
        }
    }

    private static void writeBytes(Writer out, long size) throws IOException {
        byte[] table = Peer.table();
        for (long i = 0; i < size; i++) out.write(table[(int) (i % table.length)] & 0xFF);
    }
}
