import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Set;

/** FileChannel past the page cache (O_DIRECT): offsets and lengths are multiples of the file system's block. */
final class Main {
    /** Bytes of lines that are formed before they are copied into the block: few, so that they are still cached. */
    private static final int PIECE = 32 << 10;

    public static void main(String[] arguments) throws IOException {
        Peer.run(arguments, Set.of("--buffer", "--write-through", "--no-cache"), 4 << 20, options -> {
            try (FileChannel file = Channels.open(options, ExtendedOpenOption.DIRECT)) {
                var output = new BlockOutput(file, options.buffer, Channels.alignment(options));
                if (options.bytes) writeBytes(output, options.size);
                else writeText(output, options.size);
                output.finish();
                Channels.noteMethod(options);
            }
        });
    }

    private static void writeText(BlockOutput output, long size) throws IOException {
        byte[] lines = new byte[PIECE + Lines.LONGEST]; // so that no line is split
        int used = 0;
        long left = size;
        for (long line = 1; ; line++) {
            left -= Lines.length(line);
            if (left < 0) break;
            used = Lines.form(lines, used, line);
            if (used >= PIECE) {
                output.put(lines, used);
                used = 0;
            }
        }
        output.put(lines, used);
    }

    private static void writeBytes(BlockOutput output, long size) throws IOException {
        byte[] table = Peer.table();
        for (long i = 0; i < size; i++) output.put(table[(int) (i % table.length)]);
    }

    /** Writes whole blocks from aligned memory. */
    private static final class BlockOutput {
        private final FileChannel file;
        private final int alignment;
        private final ByteBuffer buffer;

        BlockOutput(FileChannel file, int block, int alignment) {
            this.file = file;
            this.alignment = alignment;
            buffer = Channels.alignedBuffer(block, alignment);
        }

        void put(byte value) throws IOException {
            buffer.put(value);
            if (!buffer.hasRemaining()) drain();
        }

        void put(byte[] from, int length) throws IOException {
            int at = 0;
            for (int room = buffer.remaining(); length - at >= room; room = buffer.remaining()) {
                buffer.put(from, at, room);
                at += room;
                drain();
            }
            buffer.put(from, at, length - at);
        }

        /** Writes the rest, padded to a whole block of the file system, and truncates the file to its length. */
        void finish() throws IOException {
            long length = file.position() + buffer.position();
            while (buffer.position() % alignment != 0) buffer.put((byte) 0);
            drain();
            file.truncate(length);
        }

        private void drain() throws IOException {
            buffer.flip();
            while (buffer.hasRemaining()) file.write(buffer);
            buffer.clear();
        }
    }
}
