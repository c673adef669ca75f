package dev.plainsail.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ClusterDnsTest {

    private static final String TABLE = """
            kubernetes.default.svc.cluster.local 10.96.0.1
            plainsail-epp.plainsail-system.svc.cluster.local 10.96.7.8
            """;
    private static final int A = 1;
    private static final int AAAA = 28;

    @Test
    void knownNameIsAnsweredWithItsAddressWhateverItsCase() throws IOException {
        ByteBuffer answer = ask("Plainsail-EPP.plainsail-system.svc.cluster.local", A);
        assertThat(answer.getShort(0)).isEqualTo((short) 0x1234);
        assertThat(code(answer)).isZero();
        assertThat(answer.getShort(6)).isEqualTo((short) 1);
        byte[] address = new byte[4];
        answer.get(answer.capacity() - 4, address);
        assertThat(address).containsExactly(10, 96, 7, 8);
    }

    @Test
    void knownNameWithoutAnAddressOfThatKindExistsAndIsEmpty() throws IOException {
        ByteBuffer answer = ask("kubernetes.default.svc.cluster.local", AAAA);
        assertThat(code(answer)).isZero();
        assertThat(answer.getShort(6)).isZero();
    }

    @Test
    void nameWithASearchDomainBehindItDoesNotExist() throws IOException {
        ByteBuffer answer = ask("kubernetes.default.svc.cluster.local.svc.cluster.local", A);
        assertThat(code(answer)).isEqualTo(3);
        assertThat(answer.getShort(6)).isZero();
    }

    @Test
    void whatIsNoQuestionGetsNoAnswer() throws IOException {
        assertThat(ClusterDns.answer(ByteBuffer.allocate(3), TABLE)).isEmpty();
        assertThat(ClusterDns.answer(ByteBuffer.allocate(40), TABLE)).isEmpty();
        ByteBuffer answer = question("a.b", A);
        answer.putShort(2, (short) 0x8000);
        assertThat(ClusterDns.answer(answer, TABLE)).isEmpty();
        ByteBuffer longLabel = question("a.b", A);
        longLabel.put(12, (byte) 200);
        assertThat(ClusterDns.answer(longLabel, TABLE)).isEmpty();
    }

    private static ByteBuffer ask(String name, int type) throws IOException {
        Optional<byte[]> answer = ClusterDns.answer(question(name, type), TABLE);
        return ByteBuffer.wrap(answer.orElseThrow());
    }

    private static int code(ByteBuffer message) {
        return message.getShort(2) & 0xf;
    }

    private static ByteBuffer question(String name, int type) {
        ByteBuffer message = ByteBuffer.allocate(200);
        message.putShort((short) 0x1234).putShort((short) 0x0100).putShort((short) 1);
        message.putShort((short) 0).putInt(0);
        for (String label : name.split("\\.")) {
            byte[] bytes = label.getBytes(StandardCharsets.US_ASCII);
            message.put((byte) bytes.length).put(bytes);
        }
        message.put((byte) 0).putShort((short) type).putShort((short) 1);
        return message.flip().slice();
    }
}
