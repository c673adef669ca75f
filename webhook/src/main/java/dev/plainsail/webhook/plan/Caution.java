package dev.plainsail.webhook.plan;

import java.util.Locale;

/** Why a warning is given. Each is a metric label and has a golden case. */
public enum Caution {
    LOOK_ALIKE,
    TEMPLATE_WINS,
    LIMIT_TAKEN_OUT,
    NO_DEVICES_KNOWN,
    DEVICES_IDLE,
    KEPT_YOUR_FLAG,
    KEPT_YOUR_VARIABLE,
    COMMAND_NOT_UNDERSTOOD,
    COUNT_DIFFERS_FROM_LIMIT,
    LIBRARY_PATH_FROM_ELSEWHERE,
    LIBRARY_PATH_UNKNOWN,
    CEL_UNSURE,
    UNKNOWN_DEVICE_CLASS,
    NO_MATCHING_DEVICE,
    QUOTA,
    ROLLOUT_NEEDS_DEVICE,
    SHARED_CLAIM,
    NVIDIA_RUNTIME_CLASS,
    PROBE_SCHEME,
    TWO_ENGINES,
    SHM_LIMITED,
    STILL_WRONG,
    OBSERVED,
    OUR_MISTAKE;

    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
