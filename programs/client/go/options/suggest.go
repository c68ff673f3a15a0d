package options

import (
	"slices"
	"strings"
)

const (
	distanceMax = 3
	similarMin  = 0.4
)

// suggestion gives the options that were perhaps meant, as an addition to a message; as Commander does, which reads the
// command line of the model.
func suggestion(flag string) string {
	word, isLong := strings.CutPrefix(flag, "--")
	best := distanceMax
	var similar []string
	for _, one := range append([]string{"--help"}, flags()...) {
		if !isLong {
			break
		}
		candidate := strings.TrimPrefix(one, "--")
		distance := editDistance(word, candidate)
		length := max(len(word), len(candidate))
		if float64(length-distance)/float64(length) <= similarMin || distance > best {
			continue
		}
		if distance < best {
			similar = nil
		}
		best = distance
		similar = append(similar, one)
	}
	slices.Sort(similar)
	switch len(similar) {
	case 0:
		return ""
	case 1:
		return "\n(Did you mean " + similar[0] + "?)"
	default:
		return "\n(Did you mean one of " + strings.Join(similar, ", ") + "?)"
	}
}

func flags() []string {
	var all []string
	for _, one := range table {
		all = append(all, one.flag)
	}
	return all
}

// editDistance counts the letters that must be added, removed, changed or swapped with their neighbour to make one text
// of another (Damerau and Levenshtein); a greater difference of length than is looked for counts as the longer text.
func editDistance(a, b string) int {
	if max(len(a)-len(b), len(b)-len(a)) > distanceMax {
		return max(len(a), len(b))
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
