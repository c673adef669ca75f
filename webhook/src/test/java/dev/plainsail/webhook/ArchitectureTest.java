package dev.plainsail.webhook;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Which package may know which: the arrows of the webhook, and no cycles. */
class ArchitectureTest {

    private static final String ROOT = "dev.plainsail.webhook.";
    private static final String DRA = "dev.plainsail.dra..";
    private static final String CERTS = "dev.plainsail.certs..";
    private static final String JACKSON = "tools.jackson..";

    /** Package to what it may use of ours and of others; Java itself and the null annotations are free. */
    private static final Map<String, List<String>> ARROWS = Map.of(
            "workload", List.of(JACKSON),
            "engine", List.of(ROOT + "workload", JACKSON),
            "plan", List.of(ROOT + "workload", ROOT + "engine", DRA, JACKSON),
            "planner", List.of(ROOT + "plan", ROOT + "workload", ROOT + "engine", DRA, JACKSON),
            "patch", List.of(ROOT + "plan", ROOT + "workload", DRA, JACKSON));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.plainsail.webhook");

    @TestFactory
    List<DynamicTest> arrows() {
        List<DynamicTest> tests = new ArrayList<>();
        ARROWS.forEach((name, allowed) -> tests.add(DynamicTest.dynamicTest(name, () -> {
            List<String> packages = new ArrayList<>(allowed);
            packages.addAll(List.of(ROOT + name, "java..", "org.jspecify.annotations"));
            classes()
                    .that()
                    .resideInAPackage(ROOT + name)
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(packages.toArray(String[]::new))
                    .check(CLASSES);
        })));
        return tests;
    }

    @Test
    void admissionKnowsNeitherTheClusterNorTheCommand() {
        classes()
                .that()
                .resideInAPackage(ROOT + "admission")
                .should()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.plainsail.webhook",
                        ROOT + "cluster..",
                        ROOT + "templates..",
                        ROOT + "command..",
                        CERTS,
                        "io.fabric8..")
                .check(CLASSES);
    }

    @Test
    void onlyTheClusterPackagesKnowTheKubernetesClient() {
        classes()
                .that()
                .resideOutsideOfPackages(ROOT + "cluster..", ROOT + "templates..")
                .should()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackage("io.fabric8..")
                .check(CLASSES);
    }

    @Test
    void noCycles() {
        slices().matching("dev.plainsail.webhook.(*)..")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }
}
