package dev.plainsail.epp.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.HeaderMap;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode;
import io.envoyproxy.envoy.service.ext_proc.v3.HttpBody;
import io.envoyproxy.envoy.service.ext_proc.v3.HttpHeaders;
import io.envoyproxy.envoy.service.ext_proc.v3.HttpTrailers;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingRequest;
import io.envoyproxy.envoy.service.ext_proc.v3.ProtocolConfiguration;
import java.util.List;

/** Messages as Envoy sends them, made with the generated classes. */
final class Messages {
    private Messages() {}

    static HeaderMap headerMap(String... namesAndValues) {
        HeaderMap.Builder map = HeaderMap.newBuilder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.addHeaders(HeaderValue.newBuilder()
                    .setKey(namesAndValues[i])
                    .setRawValue(ByteString.copyFromUtf8(namesAndValues[i + 1])));
        }
        return map.build();
    }

    static ProcessingRequest requestHeaders(
            BodySendMode request, BodySendMode response, boolean end, String... namesAndValues) {
        return ProcessingRequest.newBuilder()
                .setRequestHeaders(HttpHeaders.newBuilder()
                        .setHeaders(headerMap(namesAndValues))
                        .setEndOfStream(end))
                .setProtocolConfig(ProtocolConfiguration.newBuilder()
                        .setRequestBodyMode(request)
                        .setResponseBodyMode(response))
                .build();
    }

    static ProcessingRequest chatHeaders(BodySendMode request, BodySendMode response) {
        return requestHeaders(
                request,
                response,
                false,
                ":method",
                "POST",
                ":path",
                "/v1/chat/completions",
                "content-type",
                "application/json");
    }

    static ProcessingRequest requestBody(String body, boolean end) {
        return requestBody(ByteString.copyFromUtf8(body), end);
    }

    static ProcessingRequest requestBody(ByteString body, boolean end) {
        return ProcessingRequest.newBuilder()
                .setRequestBody(HttpBody.newBuilder().setBody(body).setEndOfStream(end))
                .build();
    }

    static ProcessingRequest requestTrailers() {
        return ProcessingRequest.newBuilder()
                .setRequestTrailers(HttpTrailers.newBuilder().setTrailers(headerMap("x", "y")))
                .build();
    }

    static ProcessingRequest responseHeaders(String status, boolean end) {
        return ProcessingRequest.newBuilder()
                .setResponseHeaders(HttpHeaders.newBuilder()
                        .setHeaders(headerMap(":status", status))
                        .setEndOfStream(end))
                .build();
    }

    static ProcessingRequest responseBody(String body, boolean end) {
        return responseBody(ByteString.copyFromUtf8(body), end);
    }

    static ProcessingRequest responseBody(ByteString body, boolean end) {
        return ProcessingRequest.newBuilder()
                .setResponseBody(HttpBody.newBuilder().setBody(body).setEndOfStream(end))
                .build();
    }

    static ProcessingRequest responseTrailers() {
        return ProcessingRequest.newBuilder()
                .setResponseTrailers(HttpTrailers.newBuilder().setTrailers(headerMap("grpc-status", "0")))
                .build();
    }

    static Metadata metadata(String space, String key, Value value) {
        return Metadata.newBuilder()
                .putFilterMetadata(
                        space, Struct.newBuilder().putFields(key, value).build())
                .build();
    }

    static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    static Value list(List<String> texts) {
        ListValue.Builder list = ListValue.newBuilder();
        texts.forEach(each -> list.addValues(text(each)));
        return Value.newBuilder().setListValue(list).build();
    }
}
