import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** The options that all Java peers share. */
final class Options {
    Path file;
    long size = -1;
    int buffer;
    boolean bytes;
    boolean writeThrough;
    boolean noCache;
    boolean overwrite;

    /** Wrong usage. The message says what is wrong. */
    static final class UsageException extends Exception {
        UsageException(String message) {
            super(message);
        }
    }

    /**
     * @param supported the options of this peer, besides those that all peers have
     * @param buffer the default of --buffer
     */
    static Options parse(String[] arguments, Set<String> supported, int buffer) throws UsageException {
        var options = new Options();
        options.buffer = buffer;
        Iterator<String> rest = List.of(arguments).iterator();
        while (rest.hasNext()) options.take(rest.next(), rest, supported);
        if (options.file == null || options.size < 0) throw new UsageException("--file and --size are needed");
        return options;
    }

    private void take(String name, Iterator<String> rest, Set<String> supported) throws UsageException {
        if (!Set.of("--file", "--size", "--workload", "--target").contains(name) && !supported.contains(name))
            throw new UsageException(name + ": not supported by this peer");
        switch (name) {
            case "--file" -> file = path(value(name, rest));
            case "--size" -> size = number(name, value(name, rest), 0, Long.MAX_VALUE);
            case "--buffer" -> buffer = (int) number(name, value(name, rest), 1, 1 << 30);
            case "--workload" -> bytes = isSecond(name, value(name, rest), "text", "bytes");
            case "--target" -> overwrite = isSecond(name, value(name, rest), "new", "overwrite");
            case "--write-through" -> writeThrough = true;
            case "--no-cache" -> noCache = true;
            default -> throw new AssertionError(name);
        }
    }

    private static Path path(String value) throws UsageException {
        try {
            if (!value.isEmpty()) return Path.of(value);
        } catch (InvalidPathException error) {
            // a character that the locale does not have; reported below
        }
        throw new UsageException("--file '" + value + "': not a path here");
    }

    private static String value(String name, Iterator<String> rest) throws UsageException {
        if (!rest.hasNext()) throw new UsageException(name + " needs a value");
        return rest.next();
    }

    private static boolean isSecond(String name, String value, String first, String second) throws UsageException {
        if (!value.equals(first) && !value.equals(second))
            throw new UsageException(name + " '" + value + "': not " + first + " or " + second);
        return value.equals(second);
    }

    private static long number(String name, String value, long least, long most) throws UsageException {
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) return number;
        } catch (NumberFormatException ignored) {
            // reported below
        }
        throw new UsageException(name + " '" + value + "': not a number from " + least + " to " + most);
    }
}
