// Functions whose names are more than a word.
namespace names {
template <class T> struct list {
	__attribute__((noinline)) T names_of(T a);
};

template <class T> T list<T>::names_of(T a) { return a * a; }

template struct list<double>;

__attribute__((noinline)) int names_once(const char *a) { return *a; }
} // namespace names

__attribute__((noinline)) static int names_static(int a) { return a * a; }

extern "C" __attribute__((noinline)) int names_c(int a) { return names_static(a) + 1; }

int main(int n, char **list) { return names_c(n) + names::names_once(*list) + (int)names::list<double>().names_of(n); }
