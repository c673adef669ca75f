package dev.plainsail.epp;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import dev.plainsail.epp.pool.BackwardArrow;
import dev.plainsail.epp.routing.Reason;

/** The arrows between the picker's packages, and that there are no circles. */
@AnalyzeClasses(packages = "dev.plainsail.epp", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule ARROWS = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer("wiring")
            .definedBy("dev.plainsail.epp")
            .layer("pool")
            .definedBy("dev.plainsail.epp.pool")
            .layer("prefix")
            .definedBy("dev.plainsail.epp.prefix")
            .layer("datalayer")
            .definedBy("dev.plainsail.epp.datalayer")
            .layer("scheduling")
            .definedBy("dev.plainsail.epp.scheduling..")
            .layer("configuration")
            .definedBy("dev.plainsail.epp.configuration")
            .layer("flowcontrol")
            .definedBy("dev.plainsail.epp.flowcontrol")
            .layer("routing")
            .definedBy("dev.plainsail.epp.routing")
            .layer("protocol")
            .definedBy("dev.plainsail.epp.protocol")
            .layer("observability")
            .definedBy("dev.plainsail.epp.observability")
            .whereLayer("pool")
            .mayNotAccessAnyLayer()
            .whereLayer("pool")
            .mayOnlyBeAccessedByLayers(
                    "datalayer", "scheduling", "configuration", "routing", "protocol", "observability", "wiring")
            .whereLayer("prefix")
            .mayNotAccessAnyLayer()
            .whereLayer("datalayer")
            .mayOnlyAccessLayers("pool")
            .whereLayer("scheduling")
            .mayOnlyAccessLayers("pool", "datalayer", "prefix")
            .whereLayer("configuration")
            .mayOnlyAccessLayers("scheduling", "datalayer", "prefix", "flowcontrol", "pool")
            .whereLayer("flowcontrol")
            .mayNotAccessAnyLayer()
            .whereLayer("routing")
            .mayOnlyAccessLayers("scheduling", "datalayer", "flowcontrol", "pool", "prefix")
            .whereLayer("protocol")
            .mayOnlyAccessLayers("routing", "scheduling", "prefix", "pool")
            .whereLayer("observability")
            .mayOnlyBeAccessedByLayers("wiring")
            .whereLayer("wiring")
            .mayNotBeAccessedByAnyLayer();

    @ArchTest
    static void aBackwardArrowIsNoticed(JavaClasses ours) {
        JavaClasses broken = new ClassFileImporter().importClasses(BackwardArrow.class, Reason.class);
        assertThat(ARROWS.evaluate(ours).hasViolation()).isFalse();
        assertThat(ARROWS.allowEmptyShould(true).evaluate(broken).hasViolation())
                .isTrue();
    }

    @ArchTest
    static final ArchRule NO_CIRCLES =
            slices().matching("dev.plainsail.epp.(*)..").should().beFreeOfCycles();

    /** A fault of gRPC's or Netty's is met in one package. */
    @ArchTest
    static final ArchRule ONLY_THE_EDGES_KNOW_GRPC = ArchRuleDefinition.noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.plainsail.epp.pool",
                    "dev.plainsail.epp.prefix",
                    "dev.plainsail.epp.datalayer",
                    "dev.plainsail.epp.scheduling..",
                    "dev.plainsail.epp.routing",
                    "dev.plainsail.epp.flowcontrol",
                    "dev.plainsail.epp.configuration")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.grpc..", "com.google.protobuf..");

    @ArchTest
    static final ArchRule THE_STATE_MACHINE_KNOWS_NO_TRANSPORT = ArchRuleDefinition.noClasses()
            .that()
            .haveSimpleName("ExtProcStream")
            .or()
            .haveSimpleName("ResponsePhase")
            .or()
            .haveSimpleName("Exchange")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.grpc..");

    /** Clock and randomness are passed in: only the wiring reads them. */
    @ArchTest
    static final ArchRule THE_CORE_READS_NO_CLOCK = ArchRuleDefinition.noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.plainsail.epp.scheduling..", "dev.plainsail.epp.routing", "dev.plainsail.epp.prefix")
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");
}
