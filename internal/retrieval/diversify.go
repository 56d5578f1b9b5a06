package retrieval

import "math/bits"

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
	marks := make([][2]uint64, len(texts))
	for i, t := range texts {
		marks[i] = marksOf(t.nums)
		for j := range i {
			_, is := repeats[nums[j]]
			if !is && t.denials == texts[j].denials && maySay(t, texts[j], marks[i], marks[j]) && same(t, texts[j]) {
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
	nums, said = make([]int64, 0, len(asked)), make([]Said, 0, len(asked))
	for _, num := range asked {
		if i, read := at[num]; read {
			nums, said = append(nums, num), append(said, t.said[i])
		}
	}
	return nums, said
}

// marksOf hashes words to a set of 128.
func marksOf(nums []int32) (set [2]uint64) {
	for _, num := range nums {
		h := uint32(num) * 0x9e3779b1 >> 25
		set[h>>6] |= 1 << (h & 63)
	}
	return set
}

// maySay reports whether two texts may say the same: each mark that only one has is a word that only one has.
// It spares nearly all comparisons of words.
func maySay(a, b Said, marksA, marksB [2]uint64) bool {
	alone := bits.OnesCount64(marksA[0]^marksB[0]) + bits.OnesCount64(marksA[1]^marksB[1])
	return enough(float64(len(a.nums)+len(b.nums)), float64(alone))
}

// enough reports whether texts of so many words together, of which so many are in only one of them, may be the
// same: at most (all - alone) / 2 are common and at least (all + alone) / 2 are in either. The slack leaves close
// cases to the exact test of same.
func enough(all, alone float64) bool {
	const slack = 1e-6
	return all-alone >= sameness*(all+alone)-slack
}

// same reports whether two ascending lists of words say the same. Texts without words say nothing.
func same(a, b Said) bool {
	most := max(len(a.nums), len(b.nums))
	if len(a.nums) == 0 || float64(min(len(a.nums), len(b.nums))) < sameness*float64(most) {
		return false
	}
	all := float64(len(a.nums) + len(b.nums))
	common, alone := 0, 0
	for i, j := 0, 0; i < len(a.nums) || j < len(b.nums); {
		switch {
		case j == len(b.nums) || i < len(a.nums) && a.nums[i] < b.nums[j]:
			if a.word(i).number {
				return false
			}
			alone++
			i++
		case i == len(a.nums) || b.nums[j] < a.nums[i]:
			if b.word(j).number {
				return false
			}
			alone++
			j++
		default:
			common++
			i, j = i+1, j+1
			continue
		}
		if !enough(all, float64(alone)) { // the first words decide most pairs
			return false
		}
	}
	return float64(common) >= sameness*float64(len(a.nums)+len(b.nums)-common)
}
