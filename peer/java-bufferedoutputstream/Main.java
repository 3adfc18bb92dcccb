import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** BufferedOutputStream with a large buffer; the pieces of a line are written separately. */
final class Main {
    public static void main(String[] arguments) throws IOException {
        Peer.run(arguments, Set.of("--buffer", "--write-through"), 64 << 10, options -> {
            try (FileOutputStream file = Streams.open(options);
                    var out = new BufferedOutputStream(file, options.buffer)) {
                if (options.bytes) writeBytes(out, options.size);
                else writeText(out, options.size);
                out.flush();
                if (options.overwrite) Streams.cut(file);
            }
        });
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static final byte[] TABS = ascii("\t\t\t\t\t\t\t");
    private static final byte[] OPENING = ascii("All work and no play makes ");
    private static final byte[] ENDING = ascii(" a dull boy.\n");
    private static final byte[][] NAMES = {
        ascii("Jack"),
        ascii("Justin Michel"),
        ascii("Fred Flintstone"),
        ascii("Barney Rubble"),
        ascii("Homer J. Simpson"),
        ascii("John Jacob Jingleheimer Schmidt")
    };

    private static void writeText(OutputStream out, long size) throws IOException {
        long left = size;
        for (long line = 1; ; line++) {
            int tabs = (int) (line % 8);
            byte[] name = NAMES[(int) (line % 6)];
            left -= tabs + OPENING.length + name.length + ENDING.length;
            if (left < 0) return;
            out.write(TABS, 0, tabs);
            out.write(OPENING);
            out.write(name);
            out.write(ENDING);
        }
    }

    private static void writeBytes(OutputStream out, long size) throws IOException {
        byte[] table = Peer.table();
        for (long i = 0; i < size; i++) out.write(table[(int) (i % table.length)]);
    }
}
