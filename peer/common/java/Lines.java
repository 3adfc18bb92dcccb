import java.nio.charset.StandardCharsets;

/**
 * The lines of text as bytes of an array. System.arraycopy forms them faster than as many puts into a direct buffer, to
 * which they are copied afterwards.
 */
final class Lines {
    private Lines() {}

    /** No line has more bytes. */
    static final int LONGEST = 128;

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

    /** Bytes of a line, its newline included. */
    static int length(long line) {
        return tabs(line) + OPENING.length + name(line).length + ENDING.length;
    }

    /** Forms a line in the array. Returns its end. */
    static int form(byte[] array, int at, long line) {
        for (int end = at + tabs(line); at < end; at++) array[at] = '\t';
        System.arraycopy(OPENING, 0, array, at, OPENING.length);
        at += OPENING.length;
        byte[] name = name(line);
        System.arraycopy(name, 0, array, at, name.length);
        at += name.length;
        System.arraycopy(ENDING, 0, array, at, ENDING.length);
        return at + ENDING.length;
    }

    private static int tabs(long line) {
        return (int) (line % 8);
    }

    private static byte[] name(long line) {
        return NAMES[(int) (line % 6)];
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
