package dev.plainsail.webhook.plan;

import dev.plainsail.dra.Quantity;
import dev.plainsail.webhook.engine.KnownImage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The part of the settings that decides what is injected. Within one set of settings, planning is a pure function of the
 * object.
 *
 * @param extendedResources device-plugin resources and the classes that hold the same devices; the first match counts
 * @param defaultClass the class for {@code devices: auto} without a limit
 * @param driverDirectories where a DRA driver may put the driver's libraries, in the order of search
 * @param libraryPathClasses classes whose claims bring LIBRARY_PATH with them; {@code *} at the start stands for anything
 * @param offloadingMemory host memory for {@code kv-transfer: offloading}
 * @param sharedStoragePath folder for {@code kv-transfer: shared-storage}
 */
public record InjectionSettings(
        List<ExtendedResource> extendedResources,
        Optional<String> defaultClass,
        List<String> driverDirectories,
        List<String> libraryPathClasses,
        List<KnownImage> knownImages,
        Quantity offloadingMemory,
        String sharedStoragePath,
        FillSettings fill) {

    public InjectionSettings {
        extendedResources = List.copyOf(extendedResources);
        driverDirectories = List.copyOf(driverDirectories);
        libraryPathClasses = List.copyOf(libraryPathClasses);
        knownImages = List.copyOf(knownImages);
    }

    /**
     * What gap filling puts in.
     *
     * @param shm size of {@code /dev/shm}, bounded by half of the container's memory limit
     * @param startupBudget how long the model may load
     * @param grace {@code terminationGracePeriodSeconds}
     * @param preStopSleep pause between "terminating" and SIGTERM, so that routers notice first
     */
    public record FillSettings(Quantity shm, Duration startupBudget, Duration grace, Duration preStopSleep) {}

    public boolean bringsLibraryPath(String deviceClass) {
        return libraryPathClasses.stream()
                .anyMatch(pattern -> pattern.startsWith("*")
                        ? deviceClass.endsWith(pattern.substring(1))
                        : deviceClass.equals(pattern));
    }

    public static InjectionSettings defaults() {
        return new InjectionSettings(
                List.of(
                        ExtendedResource.of("nvidia.com/gpu", "gpu.nvidia.com"),
                        new ExtendedResource(
                                "nvidia.com/mig-*",
                                "mig.nvidia.com",
                                List.of("device.attributes[\"gpu.nvidia.com\"].profile == \"{}\""),
                                ExtendedResource.Mode.NATIVE),
                        ExtendedResource.of("amd.com/gpu", "gpu.amd.com"),
                        ExtendedResource.of("gpu.intel.com/*", "gpu.intel.com")),
                Optional.empty(),
                List.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"),
                List.of("*.nvidia.com"),
                KnownImages.DEFAULTS,
                quantity("8Gi"),
                "/mnt/kv-cache",
                new FillSettings(
                        quantity("16Gi"), Duration.ofMinutes(30), Duration.ofSeconds(90), Duration.ofSeconds(15)));
    }

    private static Quantity quantity(String text) {
        return Quantity.parse(text).orElseThrow();
    }
}
