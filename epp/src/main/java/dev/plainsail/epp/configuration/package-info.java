/**
 * llm-d's EndpointPickerConfig: from YAML to checked values, all problems at once, and the list of plugins.
 * May use scheduling and its subpackages, datalayer, prefix and flowcontrol. Values only, no threads.
 */
@NullMarked
package dev.plainsail.epp.configuration;

import org.jspecify.annotations.NullMarked;
