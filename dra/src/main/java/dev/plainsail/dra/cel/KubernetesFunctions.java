package dev.plainsail.dra.cel;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload.Binary;
import dev.cel.runtime.CelFunctionOverload.Unary;
import dev.plainsail.dra.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Kubernetes' additions to CEL that device selectors use: quantities and semantic versions. */
final class KubernetesFunctions {

    static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");
    static final CelType SEMVER = OpaqueType.create("kubernetes.Semver");

    private final Map<String, List<CelOverloadDecl>> declarations = new LinkedHashMap<>();
    private final Map<String, List<CelFunctionBinding>> bindings = new LinkedHashMap<>();

    KubernetesFunctions() {
        quantities();
        versions();
    }

    List<CelFunctionDecl> declarations() {
        return declarations.entrySet().stream()
                .map(entry -> CelFunctionDecl.newFunctionDeclaration(entry.getKey(), entry.getValue()))
                .toList();
    }

    List<CelFunctionBinding> bindings() {
        List<CelFunctionBinding> all = new ArrayList<>();
        bindings.forEach((name, overloads) -> all.addAll(CelFunctionBinding.fromOverloads(name, overloads)));
        return all;
    }

    private void global(String name, String id, CelType result, Unary<String> function) {
        declare(name, CelOverloadDecl.newGlobalOverload(id, result, SimpleType.STRING));
        bind(name, CelFunctionBinding.from(id, String.class, function));
    }

    private void global(String name, String id, CelType result, Binary<String, Boolean> function) {
        declare(name, CelOverloadDecl.newGlobalOverload(id, result, SimpleType.STRING, SimpleType.BOOL));
        bind(name, CelFunctionBinding.from(id, String.class, Boolean.class, function));
    }

    private <T> void member(
            String name, String id, CelType result, CelType receiver, Class<T> type, Unary<T> function) {
        declare(name, CelOverloadDecl.newMemberOverload(id, result, receiver));
        bind(name, CelFunctionBinding.from(id, type, function));
    }

    private <T, U> void member(
            String name,
            String id,
            CelType result,
            CelType receiver,
            Class<T> type,
            CelType argument,
            Class<U> other,
            Binary<T, U> function) {
        declare(name, CelOverloadDecl.newMemberOverload(id, result, receiver, argument));
        bind(name, CelFunctionBinding.from(id, type, other, function));
    }

    private void declare(String name, CelOverloadDecl overload) {
        declarations.computeIfAbsent(name, key -> new ArrayList<>()).add(overload);
    }

    private void bind(String name, CelFunctionBinding binding) {
        bindings.computeIfAbsent(name, key -> new ArrayList<>()).add(binding);
    }

    private void quantities() {
        global(
                "quantity",
                "string_to_quantity",
                QUANTITY,
                text -> Quantity.parse(text)
                        .orElseThrow(() -> new CelEvaluationException("'" + text + "' is no quantity")));
        global("isQuantity", "is_quantity_string", SimpleType.BOOL, (Unary<String>)
                text -> Quantity.parse(text).isPresent());
        comparisons("quantity", QUANTITY, Quantity.class);
        for (String name : List.of("add", "sub")) {
            boolean isAdd = name.equals("add");
            member(
                    name,
                    "quantity_" + name,
                    QUANTITY,
                    QUANTITY,
                    Quantity.class,
                    QUANTITY,
                    Quantity.class,
                    (a, b) -> combined(a, isAdd ? b.value() : b.value().negate()));
            member(
                    name,
                    "quantity_" + name + "_int",
                    QUANTITY,
                    QUANTITY,
                    Quantity.class,
                    SimpleType.INT,
                    Long.class,
                    (a, b) -> combined(a, BigDecimal.valueOf(isAdd ? b : -b)));
        }
        member(
                "asInteger",
                "quantity_as_integer",
                SimpleType.INT,
                QUANTITY,
                Quantity.class,
                KubernetesFunctions::asInteger);
        member(
                "isInteger",
                "quantity_is_integer",
                SimpleType.BOOL,
                QUANTITY,
                Quantity.class,
                KubernetesFunctions::isLong);
        member(
                "asApproximateFloat",
                "quantity_as_float",
                SimpleType.DOUBLE,
                QUANTITY,
                Quantity.class,
                quantity -> quantity.value().doubleValue());
        member("sign", "quantity_sign", SimpleType.INT, QUANTITY, Quantity.class, quantity ->
                (long) quantity.value().signum());
    }

    private static Quantity combined(Quantity quantity, BigDecimal other) {
        return new Quantity(quantity.value().add(other), quantity.format());
    }

    private static boolean isLong(Quantity quantity) {
        return quantity.isInteger() && quantity.value().toBigIntegerExact().bitLength() < Long.SIZE;
    }

    private static Object asInteger(Quantity quantity) throws CelEvaluationException {
        if (!isLong(quantity)) {
            throw new CelEvaluationException("cannot convert value to integer");
        }
        return quantity.value().longValueExact();
    }

    private void versions() {
        global(
                "semver",
                "string_to_semver",
                SEMVER,
                text -> Semver.parse(text)
                        .orElseThrow(() -> new CelEvaluationException("'" + text + "' is no semantic version")));
        global(
                "semver",
                "string_bool_to_semver",
                SEMVER,
                (text, normalize) -> (normalize ? Semver.parseLenient(text) : Semver.parse(text))
                        .orElseThrow(() -> new CelEvaluationException("'" + text + "' is no semantic version")));
        global("isSemver", "is_semver_string", SimpleType.BOOL, (Unary<String>)
                text -> Semver.parse(text).isPresent());
        global(
                "isSemver",
                "is_semver_string_bool",
                SimpleType.BOOL,
                (text, normalize) -> (normalize ? Semver.parseLenient(text) : Semver.parse(text)).isPresent());
        comparisons("semver", SEMVER, Semver.class);
        member("major", "semver_major", SimpleType.INT, SEMVER, Semver.class, Semver::major);
        member("minor", "semver_minor", SimpleType.INT, SEMVER, Semver.class, Semver::minor);
        member("patch", "semver_patch", SimpleType.INT, SEMVER, Semver.class, Semver::patch);
    }

    private <T extends Comparable<T>> void comparisons(String prefix, CelType celType, Class<T> type) {
        member("compareTo", prefix + "_compare_to", SimpleType.INT, celType, type, celType, type, (a, b) ->
                (long) Integer.signum(a.compareTo(b)));
        member(
                "isGreaterThan",
                prefix + "_is_greater_than",
                SimpleType.BOOL,
                celType,
                type,
                celType,
                type,
                (a, b) -> a.compareTo(b) > 0);
        member(
                "isLessThan",
                prefix + "_is_less_than",
                SimpleType.BOOL,
                celType,
                type,
                celType,
                type,
                (a, b) -> a.compareTo(b) < 0);
    }
}
