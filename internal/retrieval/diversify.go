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
			if !is && texts[i].denials == texts[j].denials && same(texts[i].words, texts[j].words) {
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
func same(a, b []*Lexeme) bool {
	if len(a) == 0 || float64(min(len(a), len(b))) < sameness*float64(max(len(a), len(b))) {
		return false
	}
	common, alone := 0, false
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i].num < b[j].num:
			alone = alone || a[i].number
			i++
		case i == len(a) || b[j].num < a[i].num:
			alone = alone || b[j].number
			j++
		default:
			common++
			i, j = i+1, j+1
		}
	}
	return !alone && float64(common) >= sameness*float64(len(a)+len(b)-common)
}
