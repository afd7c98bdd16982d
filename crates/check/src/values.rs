//! Parsers for values that people write: durations, sizes, wakeup policies, lists of numbers, formulas.

use std::time::Duration;

use heddle_model::{FormulaText, LONGEST_FORMULA, Values, Wakeup, WakeupOrder};
use heddle_search::liveness::ltl::Formula;

/// Parses a duration: `90`, `90s`, `1.5h`, `1m30s`, `200ms`. A number alone is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration: write 30s, 5m, 1h30m or 200ms");
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "" | "s" | "sec" => 1.0,
            "ms" => 0.001,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(wrong()),
        };
        rest = &rest[letters..];
        seconds += number * unit;
    }
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if duration.is_zero() { Err(format!("`{text}` is not a duration above zero")) } else { Ok(duration) }
}

/// Parses a duration, or `off`, which is zero.
pub fn duration_or_off(text: &str) -> Result<Duration, String> {
    if text.trim() == "off" {
        return Ok(Duration::ZERO);
    }
    duration(text).map_err(|wrong| format!("{wrong}, or off"))
}

/// Parses a size: `512M`, `2GiB`, `65536`. Units are powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size: write 512M, 2G or a number of bytes");
    let trimmed = text.trim();
    let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let number: u64 = trimmed[..digits].parse().map_err(|_| wrong())?;
    let unit = trimmed[digits..].trim().to_ascii_lowercase();
    let shift = match unit.strip_suffix("ib").or(unit.strip_suffix('b')).unwrap_or(&unit) {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(wrong()),
    };
    let bytes = number.checked_mul(1 << shift).ok_or_else(|| format!("`{text}` is too large"))?;
    if bytes == 0 { Err(format!("`{text}` is not a size above zero")) } else { Ok(bytes) }
}

/// Parses a [`size`], or `0`.
pub fn size_or_none(text: &str) -> Result<u64, String> {
    if text.trim() == "0" { Ok(0) } else { size(text) }
}

/// Parses a wakeup policy: `fifo`, or `mutex=fifo,cond=lifo`.
pub fn wakeup(text: &str) -> Result<Wakeup, String> {
    let order = |text: &str| match text.trim() {
        "arbitrary" => Ok(WakeupOrder::Arbitrary),
        "fifo" => Ok(WakeupOrder::Fifo),
        "lifo" => Ok(WakeupOrder::Lifo),
        other => {
            Err(format!("`{other}` is not a wakeup policy: write arbitrary, fifo or lifo, or mutex=fifo,cond=lifo"))
        }
    };
    let mut wakeup = Wakeup::default();
    for part in text.split(',') {
        let Some((kind, policy)) = part.split_once('=') else {
            let all = order(part)?;
            wakeup = Wakeup { mutex: all, cond: all, sem: all, rwlock: all };
            continue;
        };
        let place = match kind.trim() {
            "mutex" => &mut wakeup.mutex,
            "cond" => &mut wakeup.cond,
            "sem" => &mut wakeup.sem,
            "rwlock" => &mut wakeup.rwlock,
            other => return Err(format!("`{other}` has no wakeup policy: write mutex, cond, sem or rwlock")),
        };
        *place = order(policy)?;
    }
    Ok(wakeup)
}

/// Parses a list of numbers and of ranges that include both ends: `0,1,-1`, `0..9`, `-2..2,100`.
pub fn numbers(text: &str) -> Result<Values, String> {
    let wrong = || format!("`{text}` is not a list of numbers: write 0,1,-1 or 0..9");
    let most = heddle_model::MOST_VALUES;
    let mut numbers: Vec<i64> = Vec::new();
    for part in text.split(',') {
        let number = |text: &str| text.trim().parse::<i64>().map_err(|_| wrong());
        let (low, high) = match part.split_once("..") {
            Some((low, high)) => (number(low)?, number(high)?),
            None => (number(part)?, number(part)?),
        };
        if low > high {
            return Err(format!("`{part}` is an empty range"));
        }
        if high.abs_diff(low) >= most as u64 || numbers.len() + high.abs_diff(low) as usize >= most {
            return Err(format!("`{text}` has more than {most} numbers"));
        }
        numbers.extend(low..=high);
    }
    Values::given(&numbers).ok_or_else(wrong)
}

/// Parses a formula of linear temporal logic.
pub fn formula(text: &str) -> Result<FormulaText, String> {
    Formula::of_program(text).map_err(|error| error.to_string())?;
    FormulaText::new(text).ok_or_else(|| format!("the formula is longer than {LONGEST_FORMULA} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers() {
        assert_eq!(numbers("0,1,-1").unwrap().as_slice(), [0, 1, -1]);
        assert_eq!(numbers("-2..1, 100").unwrap().as_slice(), [-2, -1, 0, 1, 100]);
        for wrong in ["", "1,", "a", "3..1", "0..64", "0..63,64", "1..2..3"] {
            assert!(numbers(wrong).is_err(), "{wrong}");
        }
        assert_eq!(numbers("0..63").unwrap().as_slice().len(), 64);
    }

    #[test]
    fn durations() {
        for (text, millis) in [
            ("90", 90_000),
            ("90s", 90_000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            ("200ms", 200),
            ("1d", 86_400_000),
        ] {
            assert_eq!(duration(text).unwrap(), Duration::from_millis(millis), "{text}");
        }
        for text in ["", "s", "1x", "-1", "1s2y", "0", "1e99", "..", "∞"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [("1", 1), ("2k", 2048), ("512M", 512 << 20), ("2GiB", 2 << 30), ("1 gb", 1 << 30)] {
            assert_eq!(size(text).unwrap(), bytes, "{text}");
        }
        for text in ["", "M", "1x", "-1", "0", "99999999999T", "1.5G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
