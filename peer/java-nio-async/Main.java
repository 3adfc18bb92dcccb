import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** AsynchronousFileChannel and two blocks: one is filled while the other is written. One write at a time, in order. */
final class Main {
    /** Bytes of lines that are formed before they are copied into the block: few, so that they are still cached. */
    private static final int PIECE = 32 << 10;

    public static void main(String[] arguments) throws IOException {
        Peer.run(arguments, Set.of("--buffer", "--write-through", "--no-cache"), 1 << 20, options -> {
            try (AsynchronousFileChannel file = Channels.openAsynchronous(options)) {
                var output = new BlockOutput(file, options.buffer, Channels.alignment(options));
                if (options.bytes) writeBytes(output, options.size);
                else writeText(output, options.size);
                output.finish(options);
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

    /** Two blocks of aligned memory, so that O_DIRECT can write them as well. */
    private static final class BlockOutput {
        private final AsynchronousFileChannel file;
        private final int alignment;
        private ByteBuffer filling;
        private ByteBuffer leaving;
        private Future<Integer> write;
        private long written;

        BlockOutput(AsynchronousFileChannel file, int block, int alignment) {
            this.file = file;
            this.alignment = alignment;
            filling = Channels.alignedBuffer(block, alignment);
            leaving = Channels.alignedBuffer(block, alignment);
        }

        void put(byte value) throws IOException {
            filling.put(value);
            if (!filling.hasRemaining()) start();
        }

        void put(byte[] from, int length) throws IOException {
            int at = 0;
            for (int room = filling.remaining(); length - at >= room; room = filling.remaining()) {
                filling.put(from, at, room);
                at += room;
                start();
            }
            filling.put(from, at, length - at);
        }

        /** Writes the rest, padded to a whole block of the file system, and truncates the file to its length. */
        void finish(Options options) throws IOException {
            int rest = filling.position();
            while (filling.position() % alignment != 0) filling.put((byte) 0);
            int padding = filling.position() - rest;
            start();
            Channels.noteMethod(options);
            await();
            file.truncate(written - padding);
        }

        /** Starts to write the filled block, so that the other one can be filled. */
        private void start() throws IOException {
            await();
            ByteBuffer full = filling.flip();
            filling = leaving.clear();
            leaving = full;
            write = file.write(leaving, written);
        }

        /** Waits until the block in flight is completely written. */
        private void await() throws IOException {
            while (write != null) {
                try {
                    written += write.get();
                } catch (ExecutionException failure) {
                    throw failure.getCause() instanceof IOException known ? known : new IOException(failure.getCause());
                } catch (InterruptedException never) {
                    throw new IOException(never);
                }
                write = leaving.hasRemaining() ? file.write(leaving, written) : null;
            }
        }
    }
}
