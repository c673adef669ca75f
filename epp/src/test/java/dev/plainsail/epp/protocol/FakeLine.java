package dev.plainsail.epp.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import io.envoyproxy.envoy.config.core.v3.HeaderValueOption;
import io.envoyproxy.envoy.service.ext_proc.v3.CommonResponse;
import io.envoyproxy.envoy.service.ext_proc.v3.HeaderMutation;
import io.envoyproxy.envoy.service.ext_proc.v3.ImmediateResponse;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingResponse;
import io.envoyproxy.envoy.service.ext_proc.v3.StreamedBodyResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A line that writes down what is sent on it, as protobuf-java understands it, in one line of text each. */
final class FakeLine implements Line {
    private static final int MOST_TEXT = 120;

    final List<String> log;
    final Deque<Runnable> tasks = new ArrayDeque<>();
    boolean ready = true;
    boolean inLoop = true;

    FakeLine(List<String> log) {
        this.log = log;
    }

    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void send(Answer answer) {
        byte[] bytes = answer.toByteArray();
        if (bytes.length != answer.size()) {
            throw new AssertionError("says " + answer.size() + " bytes, writes " + bytes.length);
        }
        try {
            log.add("< " + describe(ProcessingResponse.parseFrom(bytes)));
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public boolean isReady() {
        return ready;
    }

    @Override
    public void close() {
        log.add("< close");
    }

    @Override
    public void refuse(String problem) {
        log.add("< refuse " + problem);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public boolean inLoop() {
        return inLoop;
    }

    private static String describe(ProcessingResponse answer) {
        String what = switch (answer.getResponseCase()) {
            case REQUEST_HEADERS ->
                "request-headers" + common(answer.getRequestHeaders().getResponse());
            case RESPONSE_HEADERS ->
                "response-headers" + common(answer.getResponseHeaders().getResponse());
            case REQUEST_BODY -> "request-body" + common(answer.getRequestBody().getResponse());
            case RESPONSE_BODY ->
                "response-body" + common(answer.getResponseBody().getResponse());
            case REQUEST_TRAILERS ->
                "request-trailers" + mutation(answer.getRequestTrailers().getHeaderMutation());
            case RESPONSE_TRAILERS ->
                "response-trailers" + mutation(answer.getResponseTrailers().getHeaderMutation());
            case IMMEDIATE_RESPONSE -> "immediate " + immediate(answer.getImmediateResponse());
            default -> answer.getResponseCase().toString();
        };
        return what + metadata(answer.getDynamicMetadata());
    }

    private static String common(CommonResponse common) {
        StringBuilder text = new StringBuilder();
        switch (common.getBodyMutation().getMutationCase()) {
            case STREAMED_RESPONSE -> {
                StreamedBodyResponse piece = common.getBodyMutation().getStreamedResponse();
                text.append(" ").append(text(piece.getBody()));
                if (piece.getEndOfStream()) {
                    text.append(" end");
                }
            }
            case BODY ->
                text.append(" replaced ").append(text(common.getBodyMutation().getBody()));
            default -> {}
        }
        return text.append(mutation(common.getHeaderMutation())).toString();
    }

    private static String immediate(ImmediateResponse immediate) {
        return immediate.getStatus().getCodeValue() + " " + immediate.getBody().toStringUtf8()
                + mutation(immediate.getHeaders());
    }

    @SuppressWarnings("deprecation") // that the old field append stays unset is what is looked at
    private static String mutation(HeaderMutation mutation) {
        StringBuilder text = new StringBuilder();
        for (HeaderValueOption option : mutation.getSetHeadersList()) {
            text.append(" ")
                    .append(option.getHeader().getKey())
                    .append("=")
                    .append(option.getHeader().getRawValue().toStringUtf8());
            if (option.getAppendAction() != HeaderValueOption.HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD
                    || option.hasAppend()
                    || !option.getHeader().getValue().isEmpty()) {
                text.append("(!)");
            }
        }
        for (String removed : mutation.getRemoveHeadersList()) {
            text.append(" -").append(removed);
        }
        return text.toString();
    }

    private static String metadata(Struct metadata) {
        if (metadata.getFieldsCount() == 0) {
            return "";
        }
        String destination = metadata.getFieldsOrThrow("envoy.lb")
                .getStructValue()
                .getFieldsOrThrow("x-gateway-destination-endpoint")
                .getStringValue();
        Struct own = metadata.getFieldsOrThrow("dev.plainsail").getStructValue();
        double ticket = own.getFieldsOrThrow("ticket").getNumberValue();
        String explanation = own.containsFields("x-plainsail-explain")
                ? " explain='" + own.getFieldsOrThrow("x-plainsail-explain").getStringValue() + "'"
                : "";
        return " metadata=" + destination + " ticket=" + (long) ticket + explanation;
    }

    private static String text(ByteString bytes) {
        String text = bytes.toStringUtf8();
        return text.length() > MOST_TEXT ? bytes.size() + "-bytes-#" + text.hashCode() : "'" + text + "'";
    }
}
