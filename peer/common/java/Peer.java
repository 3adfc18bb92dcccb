import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Set;

/** What all Java peers share: the protocol, the error messages, and the content. */
final class Peer {
    private Peer() {}

    /** The current operation, for error messages. */
    static String doing = "open";

    /** The method that `closed` reports. */
    static String method = "buffered";

    /** A peer's work. */
    interface Work {
        void run(Options options) throws IOException;
    }

    /**
     * Runs a peer's work between reading the two lines, and ends the program.
     *
     * @param supported the options of this peer, besides those that all peers have
     * @param buffer the default of --buffer
     */
    static void run(String[] arguments, Set<String> supported, int buffer, Work work) throws IOException {
        try {
            Options options = Options.parse(arguments, supported, buffer);
            var input = new BufferedReader(new InputStreamReader(System.in));
            System.out.println("ready");
            input.readLine();
            if (!isDone(work, options)) System.exit(1);
            System.out.println("closed " + method);
            input.readLine();
        } catch (Options.UsageException error) {
            System.err.println(error.getMessage());
            System.exit(2);
        }
    }

    private static boolean isDone(Work work, Options options) {
        try {
            work.run(options);
            return true;
        } catch (IOException | RuntimeException | Error error) { // running out of memory is an Error
            System.err.println(doing + " '" + options.file + "': " + reason(error));
            return false;
        }
    }

    /** Some exceptions of java.nio.file have the path as their message, and the reason in their name. */
    private static String reason(Throwable error) {
        if (error instanceof NoSuchFileException) return "No such file or directory";
        if (error instanceof AccessDeniedException) return "Permission denied";
        if (error instanceof FileSystemException known && known.getReason() != null) return known.getReason();
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }

    /** The content of the workload "bytes"; byte i of the file is entry i mod 65536. */
    static byte[] table() {
        var table = new byte[65536];
        int x = 1;
        for (int i = 0; i < table.length; i++) {
            x = x * 1664525 + 1013904223;
            table[i] = (byte) (x >>> 24);
        }
        return table;
    }
}
