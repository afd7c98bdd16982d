// A task of OpenMP.
int main(void)
{
    int count = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(count)
        count++;
    }
    return count == 77;
}
