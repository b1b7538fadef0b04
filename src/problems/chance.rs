//! Fair draws.

use tfp_actors::Entropy;

/// A random number for each of `count` things: sorting by them shuffles, as equal ones are as good as impossible.
pub fn lots(count: usize, entropy: &dyn Entropy) -> Vec<u64> {
    let mut bytes = vec![0_u8; count.saturating_mul(8)];
    entropy.fill(&mut bytes);
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().map(|eight| u64::from_le_bytes(*eight)).collect()
}

#[cfg(test)]
mod tests {
    use super::lots;
    use tfp_actors::testkit::SeededEntropy;

    #[test]
    fn every_thing_gets_its_own_lot_and_every_place_is_drawn_alike() {
        let entropy = SeededEntropy::new(7);
        let mut first = [0_u32; 4];
        for _ in 0..4_000 {
            let lots = lots(4, &entropy);
            let least = lots.iter().min().unwrap();
            first[lots.iter().position(|lot| lot == least).unwrap()] += 1;
        }
        assert!(first.iter().all(|wins| (850..1_150).contains(wins)), "{first:?}");
    }
}
