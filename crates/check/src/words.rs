//! Formats durations and sizes for messages.

use std::time::Duration;

/// A duration for people: `200 ms`, `1.5 s`, `1m30s`, `2h05m`.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        1..60 if seconds.fract() == 0.0 => format!("{seconds} s"),
        1..60 => format!("{seconds:.1} s"),
        whole if whole < 3600 => format!("{}m{:02}s", whole / 60, whole % 60),
        whole => format!("{}h{:02}m", whole / 3600, whole / 60 % 60),
    }
}

/// A number of bytes for people, in the largest binary unit that divides it: `1 GiB`, `1000 bytes`.
pub fn size(bytes: u64) -> String {
    for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >> shift != 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{} {unit}", bytes >> shift);
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (millis, words) in
            [(200, "200 ms"), (2000, "2 s"), (1500, "1.5 s"), (90_000, "1m30s"), (7_500_000, "2h05m")]
        {
            assert_eq!(duration(Duration::from_millis(millis)), words);
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size(1 << 30), "1 GiB");
        assert_eq!(size(1000), "1000 bytes");
    }
}
