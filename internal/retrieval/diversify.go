package retrieval

const (
	// sameness is the share of their words that two memories have in common from which
	// they say the same.
	sameness = 0.85
	// RepeatFactor is what the score of a repeat is to be multiplied by: it steps behind
	// what matches about as well and stays before what hardly matches.
	RepeatFactor = 0.3
)

// Repeats finds memories that say what a better one said already, so that copies of one
// memory do not fill a list. best are finds, the best first, that are among the texts; the
// answer gives for each repeat the memory it repeats, the best there is. Its score should be
// multiplied by RepeatFactor.
//
// Two say the same when they have at least 85 in 100 of their distinct words in common
// (stop words aside) and differ in no number and no negation: "timeout 30 s" and
// "timeout 60 s" are an old and a new fact, and the list needs both. The cost grows with
// the square of len(best); 50 are enough.
//
// Source: the novelty of Carbonell, Goldstein, "The Use of MMR, Diversity-Based
// Reranking", SIGIR 1998, with the likeness of Jaccard and with a threshold, because a
// memory that is merely of the same topic is no repeat.
func Repeats(among *Texts, best []int64) map[int64]int64 {
	nums, texts := among.of(best)
	repeats := map[int64]int64{}
	for i := range texts {
		for j := range i {
			_, is := repeats[nums[j]]
			if !is && texts[i].denials == texts[j].denials && same(texts[i], texts[j]) {
				repeats[nums[i]] = nums[j]
				break
			}
		}
	}
	return repeats
}

// of returns what those memories say that were read, and which they are.
func (t *Texts) of(asked []int64) (nums []int64, said []Said) {
	at := make(map[int64]int, len(t.nums))
	for i, num := range t.nums {
		at[num] = i
	}
	for _, num := range asked {
		if i, read := at[num]; read {
			nums, said = append(nums, num), append(said, t.said[i])
		}
	}
	return nums, said
}

// same reports whether two ascending lists of words say the same. Texts without words
// say nothing.
func same(a, b Said) bool {
	most := max(len(a.nums), len(b.nums))
	if len(a.nums) == 0 || float64(min(len(a.nums), len(b.nums))) < sameness*float64(most) {
		return false
	}
	// With alone words that one of them has and the other lacks, at most (all - alone) / 2
	// are common, and (all + alone) / 2 at least are in either: most pairs are told apart
	// by their first words. The slack leaves what is close to the reckoning at the end.
	const slack = 1e-6
	all := float64(len(a.nums) + len(b.nums))
	common, alone := 0, 0
	for i, j := 0, 0; i < len(a.nums) || j < len(b.nums); {
		switch {
		case j == len(b.nums) || i < len(a.nums) && a.nums[i] < b.nums[j]:
			if a.words[i].number {
				return false
			}
			alone++
			i++
		case i == len(a.nums) || b.nums[j] < a.nums[i]:
			if b.words[j].number {
				return false
			}
			alone++
			j++
		default:
			common++
			i, j = i+1, j+1
			continue
		}
		if all-float64(alone) < sameness*(all+float64(alone))-slack {
			return false
		}
	}
	return float64(common) >= sameness*float64(len(a.nums)+len(b.nums)-common)
}
