import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Writes to the file's pages through memory mappings, one window after another. */
final class Main {
    public static void main(String[] arguments) throws IOException {
        Peer.method = "mmap";
        Peer.run(arguments, Set.of("--buffer"), 64 << 20, options -> {
            try (FileChannel file = Channels.open(options, StandardOpenOption.READ)) {
                var output = new Windows(file, options.buffer, options.size);
                if (options.bytes) writeBytes(output, options.size);
                else writeText(output, options.size);
                output.finish();
            } catch (InternalError fault) { // the page could not be provided (SIGBUS)
                throw new IOException("No space left on device, or it failed", fault);
            }
        });
    }

    private static void writeText(Windows output, long size) throws IOException {
        byte[] line = new byte[Lines.LONGEST];
        long left = size;
        for (long n = 1; ; n++) {
            int length = Lines.form(line, 0, n);
            left -= length;
            if (left < 0) return;
            output.room(length).put(line, 0, length);
        }
    }

    private static void writeBytes(Windows output, long size) throws IOException {
        byte[] table = Peer.table();
        for (long i = 0; i < size; i++) output.room(1).put(table[(int) (i % table.length)]);
    }

    /**
     * A window on the file that advances and grows: the loops above have seen it advance before they are compiled, and
     * need not be compiled again. Java unmaps a window only when it collects the objects that refer to it.
     */
    private static final class Windows {
        private final FileChannel file;
        private final int longest;
        private final long size;
        private long start;
        private long length = 64 << 10;
        private MappedByteBuffer window;

        Windows(FileChannel file, int longest, long size) throws IOException {
            this.file = file;
            this.longest = Math.max(longest, Lines.LONGEST);
            this.size = size;
            window = file.map(FileChannel.MapMode.READ_WRITE, 0, Math.min(length, size));
        }

        MappedByteBuffer room(int bytes) throws IOException {
            if (window.remaining() < bytes) move();
            return window;
        }

        /** The last window may extend beyond the end of the content. */
        void finish() throws IOException {
            file.truncate(start + window.position());
        }

        /** Extends the file to the end of the window. */
        private void move() throws IOException {
            start += window.position();
            length = Math.min(2 * length, longest);
            window = file.map(FileChannel.MapMode.READ_WRITE, start, Math.min(length, size - start));
        }
    }
}
