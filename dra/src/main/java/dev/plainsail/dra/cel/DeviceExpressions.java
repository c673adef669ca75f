package dev.plainsail.dra.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelStandardFunctions;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compiles device selectors. Only what every API server refuses is called wrong; whatever may be due to a newer or differently
 * configured one is called unsure. There is no cost estimate here as the API server has one; a deep nest of loops, which is
 * the usual way over its limit, is called unsure, too. The latest results are kept, so asking again is cheap.
 */
public final class DeviceExpressions {

    private static final int BYTES = 10 * 1024;
    private static final int CACHED = 512;
    private static final int LOOP_STEPS = 10_000;
    private static final int DEEP = 4;
    private static final Pattern UNDECLARED = Pattern.compile("undeclared reference to '([^']+)'.*", Pattern.DOTALL);
    private static final Pattern NO_OPERATOR = Pattern.compile(
            "found no matching overload for '_([<>]=?)_' applied to '\\(kubernetes\\.(Quantity|Semver).*",
            Pattern.DOTALL);
    private static final Pattern LOOP = Pattern.compile("\\.(all|exists|exists_one|map|filter)\\(");

    private static final Pattern GROWING = Pattern.compile(
            "\\b(range|replace|join|format|map)\\s*\\(|\\bbind\\s*\\(.*\\bbind\\s*\\(.*\\+", Pattern.DOTALL);

    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .enableRegexPartialMatch(true)
            .enableOptionalSyntax(true)
            .comprehensionMaxIterations(LOOP_STEPS)
            .maxExpressionCodePointSize(BYTES)
            .build();

    private static final CelType DOMAINS_OF_ANY =
            MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, SimpleType.DYN));
    private static final CelType DOMAINS_OF_QUANTITY =
            MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, KubernetesFunctions.QUANTITY));
    private static final Map<String, CelType> FIELDS = Map.of(
            "driver",
            SimpleType.STRING,
            "attributes",
            DOMAINS_OF_ANY,
            "capacity",
            DOMAINS_OF_QUANTITY,
            "allowMultipleAllocations",
            SimpleType.BOOL);
    private static final StructType DEVICE = StructType.create(
            "kubernetes.DRADevice",
            ImmutableSet.copyOf(FIELDS.keySet()),
            field -> Optional.ofNullable(FIELDS.get(field)));

    private final CelCompiler compiler;
    private final CelRuntime runtime;
    private final Map<String, Checked> cache = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Checked> eldest) {
            return size() > CACHED;
        }
    });

    public DeviceExpressions() {
        KubernetesFunctions functions = new KubernetesFunctions();
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setTypeProvider(new DeviceType())
                .addVar("device", DEVICE)
                .addFunctionDeclarations(functions.declarations())
                .addLibraries(
                        CelExtensions.strings(),
                        CelExtensions.bindings(),
                        CelExtensions.optional(),
                        CelExtensions.lists(),
                        CelExtensions.sets(OPTIONS))
                .build();
        // The library's own `in` asks a map by get(), which here answers for absent domains, too.
        runtime = CelRuntimeFactory.plannerRuntimeBuilder()
                .setOptions(OPTIONS)
                .setStandardFunctions(CelStandardFunctions.newBuilder()
                        .excludeFunctions(CelStandardFunctions.StandardFunction.IN)
                        .build())
                .addFunctionBindings(Membership.bindings())
                .setTypeProvider(new DeviceType())
                .addFunctionBindings(functions.bindings())
                .addLibraries(
                        CelExtensions.strings(),
                        CelExtensions.optional(),
                        CelExtensions.lists(),
                        CelExtensions.sets(OPTIONS))
                .build();
    }

    private static final class DeviceType implements CelTypeProvider {
        @Override
        public ImmutableCollection<CelType> types() {
            return ImmutableList.of(DEVICE);
        }

        @Override
        public Optional<CelType> findType(String name) {
            return name.equals(DEVICE.name()) ? Optional.of(DEVICE) : Optional.empty();
        }
    }

    /** Does not throw, whatever the text is. About 2 ms for a new expression, less than a microsecond for a known one. */
    public Checked check(String expression) {
        Checked known = cache.get(expression);
        if (known != null) {
            return known;
        }
        Checked checked = compile(expression);
        cache.put(expression, checked);
        return checked;
    }

    private Checked compile(String expression) {
        if (expression.getBytes(StandardCharsets.UTF_8).length > BYTES) {
            return new Checked.Wrong("is longer than 10 KiB");
        }
        CelValidationResult parsed = compiler.parse(expression);
        if (parsed.hasError()) {
            return new Checked.Wrong(place(parsed.getErrors().getFirst()) + "syntax error: "
                    + oneLine(parsed.getErrors().getFirst().getMessage()).replaceFirst(" expecting .*", ""));
        }
        try {
            CelValidationResult checked = compiler.check(parsed.getAst());
            if (checked.hasError()) {
                return judged(expression, checked.getErrors().getFirst());
            }
            CelAbstractSyntaxTree tree = checked.getAst();
            CelType type = tree.getResultType();
            if (!type.equals(SimpleType.BOOL) && !type.equals(SimpleType.DYN)) {
                return new Checked.Wrong("gives " + type.name() + ", but a condition gives true or false");
            }
            if (loopsOverAttribute(tree)) {
                return new Checked.Unsure(
                        "loops over an attribute, whose type nobody knows before a device is there; the API"
                                + " server takes dyn(...) around it");
            }
            if (LOOP.matcher(expression).results().count() >= DEEP) {
                return new Checked.Unsure("has many loops, which may cost more than the API server allows");
            }
            if (GROWING.matcher(expression).find()) {
                return new Checked.Untried();
            }
            return new Checked.Usable(new DeviceExpression(runtime.createProgram(tree)));
        } catch (CelValidationException | CelEvaluationException e) {
            return new Checked.Unsure(oneLine(String.valueOf(e.getMessage())));
        }
    }

    /** Kubernetes gives attributes the type any, which is no range for a loop; here it is dyn, which is. */
    private static boolean loopsOverAttribute(CelAbstractSyntaxTree tree) {
        return CelNavigableAst.fromAst(tree)
                .getRoot()
                .allNodes()
                .filter(node -> node.getKind() == CelExpr.ExprKind.Kind.COMPREHENSION)
                .map(node -> node.expr().comprehension().iterRange())
                .anyMatch(range -> range.getKind() == CelExpr.ExprKind.Kind.SELECT
                        && tree.getType(range.id())
                                .filter(SimpleType.DYN::equals)
                                .isPresent());
    }

    /** A variable that nobody has is wrong; a function or field that we do not know may be known to others. */
    private static Checked judged(String expression, CelIssue issue) {
        String message = oneLine(issue.getMessage());
        Matcher undeclared = UNDECLARED.matcher(message);
        if (undeclared.matches()) {
            String name = undeclared.group(1);
            boolean isFunction = Pattern.compile("\\b" + Pattern.quote(name) + "\\s*(?:\\.\\s*\\w+\\s*)*\\(")
                    .matcher(expression)
                    .find();
            return isFunction
                    ? new Checked.Unsure("the function " + name + " is not known here")
                    : new Checked.Wrong(place(issue) + "there is no variable " + name + ", only device");
        }
        Matcher operator = NO_OPERATOR.matcher(message);
        if (operator.matches()) {
            String kind = operator.group(2).equals("Quantity") ? "quantities" : "versions";
            return new Checked.Unsure(place(issue) + kind + " have no operator " + operator.group(1)
                    + "; write a.compareTo(b) " + operator.group(1) + " 0, or isGreaterThan, isLessThan");
        }
        return new Checked.Unsure(place(issue) + message.replaceFirst(" \\(candidates: .*", ""));
    }

    private static String place(CelIssue issue) {
        int line = issue.getSourceLocation().getLine();
        int column = issue.getSourceLocation().getColumn() + 1;
        return "in the condition at " + (line > 1 ? "line " + line + ", " : "") + "column " + column + ": ";
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ").trim();
    }
}
