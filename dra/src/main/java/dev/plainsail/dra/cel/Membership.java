package dev.plainsail.dra.cel;

import dev.cel.runtime.CelFunctionBinding;
import java.util.List;
import java.util.Map;

/** CEL's operator {@code in}. */
final class Membership {

    private Membership() {}

    static Iterable<CelFunctionBinding> bindings() {
        return CelFunctionBinding.fromOverloads(
                "@in",
                CelFunctionBinding.from("in_list", Object.class, List.class, (value, list) -> contains(list, value)),
                CelFunctionBinding.from("in_map", Object.class, Map.class, (key, map) -> map.containsKey(key)));
    }

    private static boolean contains(List<?> list, Object value) {
        for (Object element : list) {
            boolean isSameNumber = element instanceof Number a
                    && value instanceof Number b
                    && Double.compare(a.doubleValue(), b.doubleValue()) == 0;
            if (isSameNumber || value.equals(element)) {
                return true;
            }
        }
        return false;
    }
}
