import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** FileOutputStream without a buffer: a system call for each line, or for each byte. */
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
            try (FileOutputStream out = Streams.open(options)) {
                if (options.bytes) writeBytes(out, options.size);
                else writeText(out, options.size);
                if (options.overwrite) Streams.cut(out);
            }
        });
    }

    private static void writeText(FileOutputStream out, long size) throws IOException {
        long written = 0;
        for (long n = 1; ; n++) {
            String tabs = "\t".repeat((int) (n % 8));
            String line = tabs + "All work and no play makes " + NAMES[(int) (n % 6)] + " a dull boy.\n";
            written += line.length();
            if (written > size) return;
            out.write(line.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static void writeBytes(FileOutputStream out, long size) throws IOException {
        byte[] table = Peer.table();
        for (long i = 0; i < size; i++) out.write(table[(int) (i % table.length)]);
    }
}
