package srcinfo

import "errors"

// arithmetic executes an operation on one value or two.
func (e *evaluator) arithmetic(op byte) error {
	b, err := e.pop()
	if err != nil {
		return err
	}
	switch op {
	case opAbs:
		if int64(b.n) < 0 {
			b.n = -b.n
		}
		return e.push(value{n: b.n})
	case opNeg:
		return e.push(value{n: -b.n})
	case opNot:
		return e.push(value{n: ^b.n})
	}
	a, err := e.pop()
	if err != nil {
		return err
	}
	f := binaryOps[op]
	if f == nil {
		return errors.New("its location uses an unknown DWARF operation")
	}
	if (op == opDiv || op == opMod) && b.n == 0 {
		return errors.New("its location divides by zero")
	}
	v := value{n: f(a.n, b.n)}
	if (op == opPlus || op == opMinus) && (a.from == address || a.from == fileAddress) && b.from == constant {
		v.from = a.from
	}
	return e.push(v)
}

// binaryOps take the second value from the top, and the top.
var binaryOps = [256]func(a, b uint64) uint64{
	opAnd: func(a, b uint64) uint64 { return a & b }, opOr: func(a, b uint64) uint64 { return a | b }, opXor: func(a, b uint64) uint64 { return a ^ b },
	opPlus: func(a, b uint64) uint64 { return a + b }, opMinus: func(a, b uint64) uint64 { return a - b }, opMul: func(a, b uint64) uint64 { return a * b },
	opDiv: func(a, b uint64) uint64 { return uint64(int64(a) / int64(b)) }, opMod: func(a, b uint64) uint64 { return a % b },
	opShl: func(a, b uint64) uint64 { return a << b }, opShr: func(a, b uint64) uint64 { return a >> b },
	opShra: func(a, b uint64) uint64 { return uint64(int64(a) >> b) },
	opEq:   func(a, b uint64) uint64 { return truth(a == b) }, opNe: func(a, b uint64) uint64 { return truth(a != b) },
	opLt: func(a, b uint64) uint64 { return truth(int64(a) < int64(b)) }, opLe: func(a, b uint64) uint64 { return truth(int64(a) <= int64(b)) },
	opGt: func(a, b uint64) uint64 { return truth(int64(a) > int64(b)) }, opGe: func(a, b uint64) uint64 { return truth(int64(a) >= int64(b)) },
}

func truth(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}
