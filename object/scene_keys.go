package object

// maxSceneSide limits the sides of a recorded draw.
const maxSceneSide = 8192

// asFloats reads exactly n numbers.
func asFloats[T any](n int, at func(*T, int) *float64) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		found := 0
		err := eachElement(v, func(i int, v []byte) error {
			x, err := jsonFloat(v)
			if i < n {
				*at(t, i) = x
			}
			found++
			return err
		})
		if err == nil && found != n {
			err = badValue("%d numbers, want %d", found, n)
		}
		return err
	}
}

// asNumbers reads a list of numbers.
func asNumbers[T any](at func(*T) *[]float64) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		return eachElement(v, func(_ int, v []byte) error {
			x, err := jsonFloat(v)
			*at(t) = append(*at(t), x)
			return err
		})
	}
}

// asObjects reads a list of objects by a table.
func asObjects[T, E any](keys *keyTable[E], at func(*T) *[]E) func(*T, []byte) error {
	return func(t *T, v []byte) error {
		return eachElement(v, func(i int, v []byte) error {
			if i >= maxManyItems {
				return badValue("more than %d", maxManyItems)
			}
			var e E
			err := readObject(&e, v, keys, nil)
			*at(t) = append(*at(t), e)
			return err
		})
	}
}
