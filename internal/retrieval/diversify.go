package retrieval

const (
	// sameness is the share of common words from which two memories say the same.
	sameness = 0.85
	// RepeatFactor multiplies the score of a repeat: it ranks behind memories that match about as
	// well, and before those that hardly match.
	RepeatFactor = 0.3
)

// Repeats finds memories that repeat a better one, so that copies do not fill a list. best are hits
// among the texts, best first; the result maps each repeat to the best memory it repeats. Its score
// should be multiplied by RepeatFactor.
//
// Two memories say the same if they share at least 85 % of their distinct words without stop words
// and do not differ in any number or negation: "timeout 30 s" and "timeout 60 s" are an old and a
// new fact, and both are needed. The cost grows with the square of len(best); 50 are enough.
//
// Source: MMR of Carbonell, Goldstein, "The Use of MMR, Diversity-Based Reranking", SIGIR 1998,
// with Jaccard similarity and a threshold, since a memory on the same topic is not a repeat.
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

// of returns the texts of those memories that were read, and their numbers.
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

// same reports whether two ascending lists of words say the same. Texts without words say nothing.
func same(a, b Said) bool {
	most := max(len(a.nums), len(b.nums))
	if len(a.nums) == 0 || float64(min(len(a.nums), len(b.nums))) < sameness*float64(most) {
		return false
	}
	// With alone words in only one of them, at most (all - alone) / 2 are common and at least (all
	// + alone) / 2 are in either: the first words decide most pairs. The slack leaves close cases
	// to the exact test at the end.
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
